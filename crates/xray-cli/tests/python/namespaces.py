"""Ranks in network namespaces of their own, over TCP, as if on machines of their own.

usage: namespaces.py XRAY XRAY_MPI_OPENMPI MATRIX.npz WORK      (as root)

Three namespaces with an address each are joined by a bridge. Open MPI starts a daemon in each of
them by `ip netns exec` in place of ssh, and is told to use TCP alone. Each daemon has a folder for
temporary files, as on a machine of its own: they would race for a common one. The bits must be
those of one machine, also after a rank was killed and the run resumed.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from failures import ranks_of
from launch import LONGEST, Launcher, assert_same, assert_same_model, xray

BRIDGE = "xraybr0"
NAMES = ["xrayns0", "xrayns1", "xrayns2"]


def ip(*args: str, check: bool = True) -> None:
    """Runs `ip`."""
    subprocess.run(["ip", *args], check=check, capture_output=not check)


def tear_down() -> None:
    """Removes what a run, or one that was cut short, has left."""
    for name in NAMES:
        ip("netns", "delete", name, check=False)
    ip("link", "delete", BRIDGE, check=False)


def set_up() -> None:
    """A bridge, and a namespace with an address for each name."""
    tear_down()
    ip("link", "add", BRIDGE, "type", "bridge")
    ip("addr", "add", "10.77.0.254/24", "dev", BRIDGE)
    ip("link", "set", BRIDGE, "up")
    for k, name in enumerate(NAMES):
        ip("netns", "add", name)
        ip("link", "add", f"xrayv{k}", "type", "veth", "peer", "name", "eth0", "netns", name)
        ip("link", "set", f"xrayv{k}", "master", BRIDGE, "up")
        ip("-n", name, "addr", "add", f"10.77.0.{k + 1}/24", "dev", "eth0")
        ip("-n", name, "link", "set", "eth0", "up")
        ip("-n", name, "link", "set", "lo", "up")


def launcher(program: Path, work: Path, temporary: str) -> Launcher:
    """Open MPI over the namespaces: an agent takes the place of ssh."""
    agent = work / "agent.sh"
    agent.write_text(
        "#!/bin/sh\n# agent.sh [-x] HOST COMMAND...: HOST is 10.77.0.K\n"
        'while [ "${1#-}" != "$1" ]; do shift; done\n'
        "host=$1; shift\nname=xrayns$((${host##*.} - 1))\n"
        f'export TMPDIR="{temporary}/$name"; mkdir -p "$TMPDIR"\n'
        'exec ip netns exec "$name" sh -c "$*"\n'
    )
    agent.chmod(0o755)
    hosts = ",".join(f"10.77.0.{k + 1}:2" for k in range(len(NAMES)))
    mca = {
        "plm_rsh_agent": str(agent),
        "btl": "tcp,self",
        "btl_tcp_if_include": "10.77.0.0/24",
        "oob_tcp_if_include": "10.77.0.0/24",
        "pml": "ob1",
    }
    options = ["--host", hosts, "--map-by", "node"]
    for key, value in mca.items():
        options += ["--mca", key, value]
    return Launcher("openmpi", program, options)


def check(one: Path, many: Launcher, matrix: Path, work: Path) -> None:
    """The same bits; a clear end when a rank dies; the same bits after a resume."""
    base = ["factorize", str(matrix), "-r", "40", "--selection", "greedy", "--json", "-q"]
    expected = xray(one, *base, "-o", str(work / "expected")).answer()
    for ranks in (2, 3, 6):
        found = many.run(ranks, *base, "-o", str(work / "found")).answer()
        assert_same(f"{ranks} ranks in namespaces", found, expected)
        assert_same_model(f"{ranks} ranks", work / "found/model.npz", work / "expected/model.npz")
        print(f"{ranks} ranks in {min(ranks, 3)} namespaces: same bits", flush=True)
    checkpoint = work / "namespaces.json"
    checkpoint.unlink(missing_ok=True)
    save = ["--checkpoint", str(checkpoint), "--checkpoint-every", "1"]
    job = many.start(3, *base, *save)
    while not checkpoint.exists():
        assert job.poll() is None, "ended without a checkpoint"
        time.sleep(0.01)
    # The daemons of the namespaces are no children of mpirun, so look for the program anywhere.
    os.kill(random.choice(ranks_of(many, 1)), signal.SIGKILL)
    start = time.monotonic()
    _, err = job.communicate(timeout=2 * LONGEST)
    seconds = time.monotonic() - start
    assert job.returncode != 0 and seconds < LONGEST, f"{seconds:.0f} s: {err}"
    found = many.run(2, *base, *save, "--resume", "-o", str(work / "found")).answer()
    assert_same("resumed in namespaces", found, expected)
    assert_same_model("resumed", work / "found/model.npz", work / "expected/model.npz")
    print(f"a rank killed in a namespace: ended in {seconds:.1f} s; resumed on 2 ranks: same bits")


def main() -> None:
    """Sets up, checks, and tears down."""
    one, many, matrix, folder = (Path(word).resolve() for word in sys.argv[1:5])
    folder.mkdir(parents=True, exist_ok=True)
    # A short path: Open MPI puts sockets there.
    with tempfile.TemporaryDirectory(prefix="xray") as temporary:
        try:
            set_up()
            check(one, launcher(many, folder, temporary), matrix, folder)
        finally:
            tear_down()


if __name__ == "__main__":
    main()
