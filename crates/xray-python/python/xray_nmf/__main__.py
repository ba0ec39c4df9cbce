"""`python -m xray_nmf` tells what a report of a fault should tell: versions and the machine."""

import os
import platform

import numpy
import scipy
import sklearn

from . import __version__


def main() -> None:
    """Print one line for each fact."""
    facts = {
        "xray-nmf": __version__,
        "Python": platform.python_version(),
        "NumPy": numpy.__version__,
        "SciPy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}",
        "cores": str(os.cpu_count()),
    }
    for name, fact in facts.items():
        print(f"{name:<13} {fact}")


if __name__ == "__main__":
    main()
