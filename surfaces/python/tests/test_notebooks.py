"""The notebooks run from the first cell to the last, in a folder of their own."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[3] / "docs/notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    pytest.importorskip("polars")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, cell in enumerate(json.loads(path.read_text())["cells"]):
            if cell["cell_type"] == "code":
                assert not cell["outputs"] and cell["execution_count"] is None
                exec(compile("".join(cell["source"]), f"{path.name}, cell {number}", "exec"), names)
