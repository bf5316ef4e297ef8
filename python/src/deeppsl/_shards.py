"""Shards of a project, as jobs for the engines of clusters: see docs/scaling.md."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from . import __version__, _binary
from ._errors import DeepPSLError, FailedError, InputError, Problem, WorkerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from .results import Columns

#: Becomes a program that the kernel ends with its parent, which an engine may kill at any moment.
_TIED = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 9)
if os.getppid() == int(sys.argv[1]):
    os.execvp(sys.argv[2], sys.argv[2:])
"""


class Done(NamedTuple):
    """What a run of one shard did."""

    shard: int  #: from 1
    shards: int
    cells: int  #: its parts
    solved: int  #: those that had no answer yet
    status: str  #: the worst of its parts
    objective: float
    dual_bound: float | None  #: None without any
    ground_rules: int
    variables: int


def check(directory: object, shared: bool, by: str) -> None:
    """Refuse what cannot be where parts lie."""
    if shared and directory is None:
        raise InputError("shared=True needs directory=…, which all machines see under the same path")
    if by == "vertices" and remote(directory):
        raise InputError(
            f"blocks of by='vertices' keep their states in a folder, and not at {directory}: leave directory out, or name "
            "a folder of the driver; parts and states travel anyway"
        )


def remote(directory: object) -> bool:
    """Tell whether a directory is an address that all machines see, such as s3://bucket/parts, and no folder."""
    return isinstance(directory, str) and "://" in directory


class Job(NamedTuple):
    """One shard, for any process of any machine that has this package. It may be done again, to the same bits."""

    shard: int
    shards: int
    folder: str  #: where the parts lie for all machines, or their address; "" if the part travels
    part: bytes  #: the part that travels
    threads: int
    version: str

    @contextlib.contextmanager
    def opened(self) -> Iterator[str]:
        """Give the folder or the address where this machine sees the part."""
        if self.version != __version__:
            raise InputError(
                f"this machine has deeppsl {__version__}, and the driver {self.version}, which may answer with other "
                "bits: install the same version everywhere"
            )
        if self.folder:
            yield self.folder
            return
        with tempfile.TemporaryDirectory(prefix="deeppsl-") as folder:
            with zipfile.ZipFile(io.BytesIO(self.part)) as parts:
                parts.extractall(folder)
            yield folder

    def run(self) -> tuple[Done, bytes]:
        """Solve the shard, and return its answers, which have been written already where the folder is shared."""
        with self.opened() as folder:
            done = Done(**call(*self.arguments(folder)))
            return done, self.answers(folder)

    def arguments(self, folder: str) -> list[str]:
        """Return the engine's, to solve the shard."""
        return ["run", "--shard", f"{self.shard}/{self.shards}", folder, "--threads", str(self.threads)]

    def answers(self, folder: str) -> bytes:
        """Return the answers that are there, to travel back."""
        return b"" if self.folder else pack(Path(folder), sorted(Path(folder, "answers").glob("*.*")))


class Plan:
    """What `deeppsl shard` made of a project."""

    def __init__(
        self,
        config: str | os.PathLike[str],
        directory: str | os.PathLike[str],
        shared: bool,
        shards: int,
        by: str,
        gap: float | None,
        seed: int | None,
        options: Mapping[str, object] | None,
    ) -> None:
        directory = os.fspath(directory)
        self._address = directory if remote(directory) else os.path.abspath(directory)
        self.shared = shared or remote(directory)
        arguments = ["shard", os.fspath(config), "--by", by, "--into", str(shards), self._address]
        if gap is not None:
            arguments += ["--gap", repr(float(gap))]
        if seed is not None:
            arguments += ["--seed", str(seed)]
        for name, value in (options or {}).items():
            arguments += ["-D", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
        cut = call(*arguments)
        self._folder = Path(self._address)  # where it is no address
        self.by = by
        self.shards = shards
        self._cells: list[dict[str, Any]] = cut["cells"]
        self._kept = self._folder / f"rounds-{cut['sha256'][:12]}.zip"

    def job(self, shard: int, threads: int) -> Job:
        """Return a shard's job, with its part and the answers that are there already if the folder is not shared."""
        if self.shared:
            return Job(shard, self.shards, self._address, b"", threads, __version__)
        paths = [self._folder / "manifest.json"]
        for cell in self._of(shard):
            paths += [self._folder / "cells" / cell["name"] / file["path"] for file in cell["files"]]
            paths += [path for path in self._answers(cell) if path.exists()]
        return Job(shard, self.shards, "", pack(self._folder, paths), threads, __version__)

    def complete(self) -> bool:
        """Tell whether all answers are there. Those of blocks are together or not at all: any others are removed."""
        paths = [path for cell in self._cells for path in self._answers(cell)]
        if all(path.exists() for path in paths):
            return True
        for path in paths:
            path.unlink(missing_ok=True)
        return False

    def keep(self, states: list[bytes]) -> None:
        """Keep the states of all blocks, from which the same call goes on if it is made again."""
        beside = self._kept.with_suffix(".part")
        with zipfile.ZipFile(beside, "w") as archive:
            for k, state in enumerate(states):
                archive.writestr(str(k), state)
        beside.replace(self._kept)

    def kept(self) -> list[bytes]:
        """Return the states that were kept; of blocks that are to begin, they are empty."""
        try:
            with zipfile.ZipFile(self._kept) as archive:
                return [archive.read(str(k)) for k in range(self.shards)]
        except (OSError, KeyError, zipfile.BadZipFile):
            return [b""] * self.shards

    def take(self, shard: int, answers: bytes) -> None:
        """Keep the answers of a shard, if they have travelled."""
        if self.shared:
            return
        (self._folder / "answers").mkdir(exist_ok=True)
        with zipfile.ZipFile(io.BytesIO(answers)) as archive:
            for cell in self._of(shard):
                for path in self._answers(cell):
                    beside = path.with_name(path.name + ".part")
                    beside.write_bytes(archive.read(f"answers/{path.name}"))
                    beside.replace(path)

    def merge(self) -> tuple[dict[str, Any], Any, Callable[[], dict[str, Columns]]]:
        """Join the answers: return what an Answer is made of."""
        with tempfile.TemporaryDirectory(prefix="deeppsl-") as folder:
            told = call("merge", self._address, "-o", folder, "--format", "json")
            names = [p["predicate"] for p in told.get("answer_by_predicate", ())]
            values, atoms = _read(Path(folder), names)
        told["answer"] = 1
        told["explanation"] = f"The proofs of {told['parts']} parts add up, to this status: {told['status']}."
        told["atom_error"] = told["largest_atom_error"]
        told["seconds"] = told["seconds"]["solve"]
        told.setdefault("conflict", [])
        return told, values, lambda: atoms

    def _of(self, shard: int) -> list[dict[str, Any]]:
        return [cell for cell in self._cells if cell["shard"] == shard]

    def _answers(self, cell: dict[str, Any]) -> list[Path]:
        """Return the files of a part's answer; the last one vouches for the others."""
        return [self._folder / "answers" / (cell["name"] + end) for end in (".values", ".json")]


def pack(folder: Path, paths: list[Path]) -> bytes:
    """Put files of a folder into an archive."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path in paths:
            archive.write(path, path.relative_to(folder))
    return packed.getvalue()


def _read(folder: Path, names: list[str]) -> tuple[Any, dict[str, Columns]]:
    """Read the atoms that merge wrote, a row of JSON each."""
    import numpy as np

    from .results import Columns

    values: list[float] = []
    atoms: dict[str, Columns] = {}
    for name in names:
        path = folder / f"{name.upper()}.jsonl"
        if not path.exists():  # the configuration wants no atoms
            continue
        with open(path, encoding="utf-8") as file:
            rows = [line.rstrip()[1:-1] for line in file]
        flat = json.loads(f"[{','.join(rows)}]")  # a list for each row would take three times as long
        width = len(flat) // len(rows)
        *columns, truth = (flat[k::width] for k in range(width))
        numbers = {text: k for k, text in enumerate(dict.fromkeys(itertools.chain(*columns)))}
        codes = [np.fromiter(map(numbers.__getitem__, column), np.int32, len(truth)) for column in columns]
        atoms[name.lower()] = Columns(name, len(values), codes, list(numbers), len(truth))
        values.extend(truth)
    return np.array(values, np.float64), atoms


def command(*arguments: str) -> list[str]:
    """Return the command line of an engine that ends with this process."""
    line = [_binary.find(), *arguments, "--json", "--quiet"]
    if sys.platform == "linux":
        line = [sys.executable, "-I", "-S", "-c", _TIED, str(os.getpid()), *line]
    return line


def call(*arguments: str) -> dict[str, Any]:
    """Run a command of the engine, and return what it answers."""
    import subprocess

    ended = subprocess.run(
        command(*arguments), stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8"
    )
    return answered(arguments[0], ended.returncode, ended.stdout, ended.stderr)


def answered(name: str, code: int, out: str, errors: str) -> dict[str, Any]:
    """Return what a command has answered that has ended."""
    told = errors.strip()
    try:
        reply: dict[str, Any] = json.loads(out)
    except ValueError:
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        raise WorkerError(f"deeppsl {name} ended {how}" + (f":\n{told}" if told else "")) from None
    if "errors" in reply:
        raise _error(code, told, reply["errors"])
    return reply


def _error(code: int, told: str, errors: list[dict[str, Any]]) -> DeepPSLError:
    if code != 2:
        return FailedError(told)
    return InputError(
        told,
        tuple(
            Problem(
                e["id"],
                e["severity"] == "warning",
                e.get("file", ""),
                e.get("line", 0),
                e.get("column", 0),
                e["message"],
                e.get("hint", ""),
            )
            for e in errors
        ),
    )
