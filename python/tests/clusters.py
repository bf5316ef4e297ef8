"""What the tests of clusters share: projects, and the answers of one process."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
from pathlib import Path

from deeppsl import _binary


def towns(folder: Path, count: int = 12, people: int = 6) -> Path:
    """Write a project whose friends live in towns that have nothing to do with each other."""
    chance = random.Random(7)
    friends, smokes, targets = [], [], []
    for town in range(count):
        names = [f"t{town}p{k}" for k in range(people)]
        smokes.append(f"{names[0]}\t{chance.random():.3f}")
        targets += names[1:]
        friends += [f"{a}\t{b}\t{chance.random():.3f}" for a in names for b in names if a != b]
    return _write(folder, friends, smokes, targets)


def ring(folder: Path, people: int = 3000) -> Path:
    """Write one of a ring of friends: one component."""
    chance = random.Random(8)
    friends, smokes, targets = [], [], []
    for k in range(people):
        targets.append(f"p{k}")
        smokes.append(f"q{k}\t{chance.random():.3f}")
        friends.append(f"q{k}\tp{k}\t{chance.random():.3f}")
        friends += [f"p{k}\tp{(k + d) % people}\t{chance.random():.3f}" for d in (1, 2, 3)]
    return _write(folder, friends, smokes, targets)


def blocks(config: Path, folder: Path, shards: int, gap: str = "1e-7") -> dict[str, bytes]:
    """Solve a project by blocks that exchange files, with no cluster, and return the values of its parts."""
    cut = (_binary.find(), "shard", str(config), "--by", "vertices", "--into", str(shards), "--gap", gap)
    subprocess.run([*cut, str(folder), "-q"], check=True, capture_output=True)
    lines = [[_binary.find(), "run", "--shard", f"{k}/{shards}", str(folder), "-q"] for k in range(1, shards + 1)]
    running = [subprocess.Popen(line, stdout=subprocess.DEVNULL) for line in lines]
    assert [engine.wait() for engine in running] == [0] * shards
    return answers(folder)


def slay(shard: int) -> bool:
    """Kill -9 the engine that waits between two rounds of a shard, and what has started it; tell whether there was one.

    It is one of this process's own cluster: others may run on the machine.
    """
    for process in below(os.getpid()):
        folder = Path(f"/proc/{process}")
        try:
            line = (folder / "cmdline").read_bytes().split(b"\0")
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if b"--exchange" in line and b"--shard" in line and line[line.index(b"--shard") + 1].startswith(b"%d/" % shard):
            for pid in (parent, process):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            return True
    return False


def slay_executor() -> bool:
    """Kill -9 an executor of a Spark that this process has started, and tell whether there was one."""
    for process in below(os.getpid()):
        with contextlib.suppress(OSError):
            if b"CoarseGrainedExecutorBackend" in Path(f"/proc/{process}/cmdline").read_bytes():
                os.kill(process, signal.SIGKILL)
                return True
    return False


def below(process: int) -> list[int]:
    """Return the processes that a process has started, and those that these have, and so on."""
    children: dict[int, list[int]] = {}
    for child in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = int((child / "stat").read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(child.name))
    found = list(children.get(process, []))
    for started in found:
        found += children.get(started, [])
    return found


#: The engine; once it is armed, the next that solves shard 2 dies in the middle, with what has started it. One that
#: waits for letters hears none, and ends at once.
_FRAGILE = """#!/bin/sh
case "$*" in
*"--shard 2/"*)
    if mv '{armed}' '{fired}' 2>/dev/null; then
        '{binary}' "$@" >/dev/null & engine=$!
        while kill -0 $engine && [ -z "$(ls "$4"/answers/*.json 2>/dev/null)" ]; do
            sleep 0.01
        done
        kill -9 $engine $PPID $$
    fi ;;
esac
exec '{binary}' "$@"
"""


class Fragile:
    """A program that can be armed."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "fragile"
        self._armed, self._fired = folder / "armed", folder / "fired"
        self.path.write_text(_FRAGILE.format(armed=self._armed, fired=self._fired, binary=_binary.find()))
        self.path.chmod(0o755)

    def arm(self) -> None:
        """Let the next one die."""
        self._fired.unlink(missing_ok=True)
        self._armed.touch()

    @property
    def fired(self) -> bool:
        """Tell whether it has."""
        return self._fired.exists()


def _write(folder: Path, friends: list[str], smokes: list[str], targets: list[str]) -> Path:
    for name, rows in (("friends", friends), ("smokes", smokes), ("targets", targets)):
        (folder / f"{name}.txt").write_text("\n".join(rows) + "\n")
    config = {
        "rules": ["3: Friends(A, B) & Smokes(A) -> Smokes(B) ^2", "1: !Smokes(A) ^2"],
        "predicates": {
            "Friends/2": {"observations": ["friends.txt"]},
            "Smokes/1": {"observations": ["smokes.txt"], "targets": ["targets.txt"]},
        },
    }
    path = folder / "model.json"
    path.write_text(json.dumps(config))
    return path


def one(config: Path, folder: Path) -> dict[str, bytes]:
    """Solve a project as one shard, with no cluster, and return the values of its parts."""
    for arguments in (("shard", str(config), "--into", "1"), ("run", "--shard", "1/1")):
        subprocess.run([_binary.find(), *arguments, str(folder), "-q"], check=True, capture_output=True)
    return answers(folder)


def answers(folder: Path) -> dict[str, bytes]:
    """Return the values of a folder's parts, as they lie there."""
    return {path.name: path.read_bytes() for path in (folder / "answers").glob("*.values")}
