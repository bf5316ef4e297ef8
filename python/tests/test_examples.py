"""The notebooks must run, and what they assert must hold."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.filterwarnings("ignore")  # those of the packages that run notebooks
@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*.ipynb")))
def test_notebooks_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"])
    notebook = nbformat.read(EXAMPLES / name, 4)
    assert not [cell for cell in notebook.cells if cell.get("outputs")], "notebooks are kept without what they print"
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=120, resources=resources).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", ()) if "data" in output]
    assert any("text/html" in output["data"] for output in shown)
    assert list(tmp_path.iterdir()) == []
