"""What the pages say of Python must run, and print what they show."""

from __future__ import annotations

import re
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import deeppsl

ROOT = Path(__file__).parents[2]


def first_program(page: str) -> tuple[str, str]:
    """Return the first program of a page, and the block that is indented behind it, if there is one."""
    found = re.search(r"```python\n(.*?)```\n(?:\n((?:    [^\n]*\n)+))?", (ROOT / page).read_text(), re.S)
    assert found is not None
    return found[1], re.sub(r"^    ", "", found[2] or "", flags=re.M)


def run(program: str, page: str, **names: Any) -> dict[str, Any]:
    """Run a program that knows some names, and return all that it knows then."""
    names["__name__"] = "__main__"
    exec(compile(program, page, "exec"), names)
    return names


@pytest.mark.parametrize("page", ["python/README.md", "docs/python.md"])
def test_programs_of_pages(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    program, shown = first_program(page)
    run(program, page)
    printed = capsys.readouterr().out
    assert "value" in printed
    if shown:
        assert printed == shown


def test_the_first_program_needs_the_wheel_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for library in ("pandas", "polars", "pyarrow", "torch"):
        monkeypatch.setitem(sys.modules, library, None)
    run(first_program("README.md")[0], "README.md")
    value, gap = map(float, capsys.readouterr().out.split())
    assert value == pytest.approx(0.5, abs=1e-3) and gap <= 1e-6


def fragment(of: str) -> str:
    """Return the program of the page of Python that has a text, behind the first one if it goes on from there."""
    first, *others = re.findall(r"```python\n(.*?)```", (ROOT / "docs/python.md").read_text(), re.S)
    (found,) = [other for other in others if of in other]
    return (first if re.search(r"^then = model", found, re.M) else "") + str(found)


def test_networks_of_the_page() -> None:
    names = {name: getattr(deeppsl, name) for name in ("Model", "Network", "Predicate")}
    array, rules = np.array([[0.0, 1.0], [1.0, 0.0]]), "1: Looks(A, K) -> Is(A, K) ^2\n1: !Is(A, K) ^2"
    model = run(fragment("looks = "), "docs/python.md", rules=rules, names=["a", "b"], array=array, **names)["model"]
    model.target("Is", [(name, fruit) for name in "ab" for fruit in ("apple", "pear")])
    assert 0 < model.infer().value("Is", "a", "apple") < 1


def test_changes_of_the_page() -> None:
    names = run(fragment("what_if"), "docs/python.md")
    assert names["then"].value("Smokes", "cid") == pytest.approx(0, abs=1e-3)
    assert names["answer"].value("Smokes", "dan") > 0.1


def test_imports_of_the_page() -> None:
    assert {"Model", "Partition"} <= set(run(fragment("compat"), "docs/python.md"))


def test_the_wheel_is_small() -> None:
    wheels = list((ROOT / "out" / "wheels").glob("*.whl"))
    if not wheels:
        pytest.skip("no wheel was built: python/test.sh builds one")
    assert wheels[0].stat().st_size < 15_000_000
    names = zipfile.ZipFile(wheels[0]).namelist()
    assert {"deeppsl/py.typed", "deeppsl/LICENSE", "deeppsl/_bin/deeppsl"} <= set(names)
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests")]
