#!/usr/bin/env python3
"""Write hyperspectral cubes with the package `spectral`, NumPy and SciPy, for the tests to read.

usage: make_cubes.py FOLDER [DATA]

FOLDER/cubes gets ENVI files in all orders, types and byte orders, a spectral library, .npy and .mat
files, and cubes.json, which says which numbers each one holds (as the package reads them back,
where it wrote them). The test `cubes.rs` reads it all:

    XRAY_REFERENCE=FOLDER cargo test -p xray-data cubes
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.io
import spectral.io.envi as envi

ROWS, COLUMNS, BANDS = 5, 4, 7
TYPES = ["uint8", "int16", "int32", "float32", "float64", "uint16", "uint32", "int64", "uint64"]

rng = np.random.default_rng(20260202)
folder = Path(sys.argv[1]) / "cubes"
folder.mkdir(parents=True, exist_ok=True)
cubes: list[dict[str, Any]] = []


def told(name: str, values: npt.ArrayLike, **more: Any) -> None:
    """Say which numbers a file holds: rows x columns x bands."""
    exact = np.ascontiguousarray(values, dtype=np.float64)
    bits = exact.view(np.uint64).ravel().tolist()
    cubes.append({"file": name, "size": list(exact.shape), "bits": bits, **more})


def drawn(kind: str) -> Any:
    """A cube with the whole range of its type, as far as doubles hold it exactly."""
    size = (ROWS, COLUMNS, BANDS)
    if kind.startswith("float"):
        return (rng.standard_normal(size) * 10.0 ** rng.integers(-20, 20, size)).astype(kind)
    about = np.iinfo(kind)
    low, high = max(about.min, -(2**53) + 1), min(about.max, 2**53 - 1)
    return rng.integers(low, high, size, dtype=kind, endpoint=True)


def envi_files() -> None:
    """Every order, type and byte order."""
    for kind in TYPES:
        for order in ("bsq", "bil", "bip"):
            for byte_order in (0, 1):
                name = f"{order}_{kind}_{byte_order}.hdr"
                path = str(folder / name)
                options = {"interleave": order, "byteorder": byte_order, "force": True}
                envi.save_image(path, drawn(kind), dtype=kind, ext=f".{order}", **options)
                told(name, np.asarray(envi.open(path).open_memmap()))


def header_fields() -> None:
    """Wavelengths, bad bands, places, an offset and a value for pixels without data."""
    values = drawn("int16")
    metadata: dict[str, Any] = {
        "wavelength": [400.0 + 12.5 * b for b in range(BANDS)],
        "wavelength units": "Nanometers",
        "bbl": [1, 1, 0, 1, 1, 0, 1],
        "map info": ["UTM", 1, 1, 560000.5, 4140000.5, 20, 20, 10, "North", "WGS-84"],
        "data ignore value": -9999,
    }
    envi.save_image(str(folder / "fields.hdr"), values, metadata=metadata, force=True)
    good = [b for b in range(BANDS) if metadata["bbl"][b]]
    about = {"wavelengths": [metadata["wavelength"][b] for b in good], "bands": good}
    told("fields.hdr", values[:, :, good], about=about)
    data = (folder / "fields.img").read_bytes()
    (folder / "offset.dat").write_bytes(b"x" * 37 + data)
    text = (folder / "fields.hdr").read_text()
    (folder / "offset.dat.hdr").write_text(text.replace("header offset = 0", "header offset = 37"))
    told("offset.dat", values[:, :, good], about=about)


def library() -> None:
    """A spectral library."""
    spectra = rng.random((3, BANDS))
    header = {
        "wavelength": [400.0 + 12.5 * b for b in range(BANDS)],
        "spectra names": ["kaolinite", "alunite", "water"],
    }
    envi.SpectralLibrary(spectra, header).save(str(folder / "library"))
    read = envi.open(str(folder / "library.hdr"))
    told("library.hdr", np.asarray(read.spectra)[:, None, :], names=list(read.names))


def arrays() -> None:
    """NumPy and MATLAB."""
    for kind in ("float32", "float64", "uint16", ">i2"):
        values = drawn(np.dtype(kind).newbyteorder("=").name).astype(kind)
        name = f"cube_{kind.replace('>', 'big_')}.npy"
        np.save(folder / name, values)
        told(name, values.astype(np.float64))
    values = drawn("float64")
    np.save(folder / "fortran.npy", np.asfortranarray(values))
    told("fortran.npy", values)
    listed = values.reshape(-1, BANDS)
    np.save(folder / "pixels.npy", listed)
    told("pixels.npy", values, shape=f"{ROWS}x{COLUMNS}")
    np.save(folder / "bands.npy", np.ascontiguousarray(listed.T))
    told("bands.npy", values, shape=f"{ROWS}x{COLUMNS}")
    for packed in (False, True):
        name = f"cube_{packed}.mat"
        more = {"Z": values, "other": np.arange(3.0)}
        scipy.io.savemat(folder / name, more, do_compression=packed)
        told(name, values)
    # As Samson and Jasper Ridge are stored: pixels go down the columns.
    down = values.transpose(1, 0, 2).reshape(-1, BANDS).T
    sides = {"nRow": np.uint8(ROWS), "nCol": np.uint8(COLUMNS)}
    scipy.io.savemat(folder / "sides.mat", {"V": down, **sides, "maxValue": np.uint16(5000)})
    told("sides.mat", values)
    scipy.io.savemat(folder / "plain.mat", {"V": down})
    told("plain.mat", values, shape=f"{ROWS}x{COLUMNS}")


envi_files()
header_fields()
library()
arrays()
(folder / "cubes.json").write_text(json.dumps(cubes))
print(f"wrote {len(cubes)} cubes to {folder}")
