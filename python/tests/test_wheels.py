"""Wheels, of this platform and of others: that they are well formed."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import os
import zipfile
from pathlib import Path

import pytest

#: what the programs of a platform begin with, and where they say for which processor they are
MAGIC = {
    "manylinux2014_x86_64": (b"\x7fELF", 18, b"\x3e\x00"),
    "manylinux2014_aarch64": (b"\x7fELF", 18, b"\xb7\x00"),
    "macosx_12_0_x86_64": (b"\xcf\xfa\xed\xfe", 4, b"\x07\x00\x00\x01"),
    "macosx_12_0_arm64": (b"\xcf\xfa\xed\xfe", 4, b"\x0c\x00\x00\x01"),
    "win_amd64": (b"MZ", 0, b"MZ"),
    "win_arm64": (b"MZ", 0, b"MZ"),
}
FOLDER = Path(os.environ.get("DEEPPSL_WHEELS", Path(__file__).parents[2] / "out" / "wheels"))
WHEELS = sorted(FOLDER.glob("*.whl"))


@pytest.mark.skipif(not WHEELS, reason=f"there are no wheels in {FOLDER}")
@pytest.mark.parametrize("path", WHEELS, ids=[w.name for w in WHEELS])
def test_a_wheel_is_well_formed(path: Path) -> None:
    assert path.stat().st_size < 15e6
    with zipfile.ZipFile(path) as wheel:
        assert wheel.testzip() is None
        names = wheel.namelist()
        (record,) = (name for name in names if name.endswith(".dist-info/RECORD"))
        for name, digest, size in csv.reader(io.StringIO(wheel.read(record).decode())):
            if name != record:
                data = wheel.read(name)
                made = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                assert (digest, int(size)) == (f"sha256={made}", len(data)), name
        folder = record.rpartition("/")[0]
        tags = [line for line in wheel.read(f"{folder}/WHEEL").decode().splitlines() if line.startswith("Tag: ")]
        (platform,) = (name for name in MAGIC if f"Tag: py3-none-{name}" in tags)
        assert "Root-Is-Purelib: false" in wheel.read(f"{folder}/WHEEL").decode()
        (binary,) = (name for name in names if name.startswith("deeppsl/_bin/"))
        assert binary == ("deeppsl/_bin/deeppsl.exe" if platform.startswith("win") else "deeppsl/_bin/deeppsl")
        program = wheel.read(binary)
        magic, at, processor = MAGIC[platform]
        assert program.startswith(magic) and program[at : at + len(processor)] == processor
        if not platform.startswith("win"):
            assert wheel.getinfo(binary).external_attr >> 16 & 0o111, "it cannot be run"
        assert {"deeppsl/LICENSE", "deeppsl/NOTICE", "deeppsl/py.typed", "deeppsl/networks.py"} <= set(names)
