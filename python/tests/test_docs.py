"""What the pages say of Python must run, and print what they show."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def first_program(page: str) -> tuple[str, str]:
    """Return the first program of a page, and the block that is indented behind it, if there is one."""
    found = re.search(r"```python\n(.*?)```\n(?:\n((?:    [^\n]*\n)+))?", (ROOT / page).read_text(), re.S)
    assert found is not None
    return found[1], re.sub(r"^    ", "", found[2] or "", flags=re.M)


@pytest.mark.parametrize("page", ["README.md", "python/README.md", "docs/python.md"])
def test_programs_of_pages(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    program, shown = first_program(page)
    exec(compile(program, page, "exec"), {"__name__": "__main__"})
    printed = capsys.readouterr().out
    assert "value" in printed
    if shown:
        assert printed == shown


def test_the_wheel_is_small() -> None:
    wheels = list((ROOT / "out" / "wheels").glob("*.whl"))
    if not wheels:
        pytest.skip("no wheel was built: python/test.sh builds one")
    assert wheels[0].stat().st_size < 15_000_000
    names = zipfile.ZipFile(wheels[0]).namelist()
    assert {"deeppsl/py.typed", "deeppsl/LICENSE", "deeppsl/_bin/deeppsl"} <= set(names)
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests")]
