"""A hyperspectral cube of 10 GB, unmixed with 2 GB of memory, against reading it three times.

The cube is a drawn scene, line after line again and again. The program runs under a limit on its
address space (`ulimit -v`), so that more memory is refused by the system. Whatever the system keeps
of the cube in memory is dropped before every look, so that it comes from the disk. All times are
of one run.
"""

import argparse
import os
import resource
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

COLUMNS, BANDS, RANK = 2500, 200, 4
LIMIT = 2 << 30


def make(program: str, cube: Path, tiles: int, rows: int) -> None:
    """Draw a scene, and write its lines `tiles` times."""
    scene = cube.with_name("scene.hdr")
    size = f"{rows}x{COLUMNS}x{BANDS}"
    command = [program, "synth", str(scene), "--cube", size, "-r", str(RANK), "--snr", "30", "-q"]
    subprocess.run(command, check=True)
    with cube.with_suffix(".img").open("wb") as out:
        for _ in range(tiles):
            with scene.with_suffix(".img").open("rb") as lines:
                shutil.copyfileobj(lines, out, 1 << 22)
    header = scene.read_text().replace(f"lines = {rows}\n", f"lines = {tiles * rows}\n")
    cube.write_text(header)


def forget(file: int) -> None:
    """Drop what the system keeps of a file in memory."""
    os.fsync(file)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)


def read(path: Path) -> float:
    """Seconds that it takes to read a file."""
    buffer = bytearray(1 << 22)
    with path.open("rb", buffering=0) as file:
        forget(file.fileno())
        start = time.perf_counter()
        while file.readinto(buffer):
            pass
    return time.perf_counter() - start


def unmix(program: str, cube: Path, *options: str) -> tuple[float, float]:
    """Seconds that it takes to unmix a cube, and the peak of memory in GB."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))

    truth = str(cube.with_name("scene-truth.csv"))
    command = [program, "unmix", str(cube), "--truth", truth, *options]
    with cube.with_suffix(".img").open("rb") as numbers:
        forget(numbers.fileno())
    start = time.perf_counter()
    subprocess.run([*command, "-o", str(cube.with_name("out"))], check=True, preexec_fn=limited)
    seconds = time.perf_counter() - start
    return seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e9


def main() -> None:
    """Make it, read it three times, unmix it, remove it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--folder", type=Path, help="where there is room for the cube")
    parser.add_argument("--tiles", type=int, default=50)
    parser.add_argument("--rows", type=int, default=100, help="lines of a tile")
    parser.add_argument("--rank", type=int, help="number of endmembers; otherwise it is found")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        cube = Path(folder) / "cube.hdr"
        make(arguments.program, cube, arguments.tiles, arguments.rows)
        numbers = cube.with_suffix(".img")
        gigabytes = numbers.stat().st_size / 1e9
        times = [read(numbers) for _ in range(3)]
        total = sum(times)
        parts = ", ".join(f"{seconds:.1f}" for seconds in times)
        print(f"{gigabytes:.1f} GB, read three times: {parts}: {total:.1f} s", flush=True)
        options = ["-r", str(arguments.rank)] if arguments.rank else []
        seconds, peak = unmix(arguments.program, cube, *options)
        print(f"unmixed: {seconds:.1f} s with {peak:.2f} GB, {seconds / total:.1f} x (at most 4 x)")


if __name__ == "__main__":
    main()
