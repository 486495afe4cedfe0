"""The code of the guide runs, and its values are those that it states."""

from __future__ import annotations

import ast
import doctest
import shlex
import warnings
from pathlib import Path

import pytest
from conftest import command

GUIDE = Path(__file__).resolve().parents[3] / "docs/guide/python.md"


def blocks(page: str) -> list[tuple[int, str]]:
    """Indented blocks of a page, each with its first line."""
    found: list[tuple[int, str]] = []
    for number, line in enumerate(page.splitlines(), 1):
        if line.startswith("    ") and found and found[-1][0] + found[-1][1].count("\n") == number:
            found[-1] = (found[-1][0], found[-1][1] + line[4:] + "\n")
        elif line.startswith("    "):
            found.append((number, line[4:] + "\n"))
        elif not line and found:
            found[-1] = (found[-1][0], found[-1][1] + "\n")
    return found


def run(code: str, first: int, names: dict[str, object]) -> list[str]:
    """Runs code, and compares each expression with the comment behind it, where "..." stands for anything: what differs."""
    wrong: list[str] = []

    def seen(line: int, stated: str, value: object) -> None:
        if stated and not doctest.OutputChecker().check_output(f"{stated}\n", f"{value!r}\n", doctest.ELLIPSIS):
            wrong.append(f"{GUIDE.name}, line {line}: states {stated}, is {value!r:.300}")

    for node in ast.walk(tree := ast.parse(code)):
        if isinstance(node, ast.Expr):
            stated = code.splitlines()[(node.end_lineno or 1) - 1].partition("  # ")[2].strip()
            line = ast.Constant(first + (node.end_lineno or 1) - 1)
            node.value = ast.Call(ast.Name("seen", ast.Load()), [line, ast.Constant(stated), node.value], [])
    names["seen"] = seen
    exec(compile(ast.fix_missing_locations(tree), GUIDE.name, "exec"), names)
    return wrong


def test_the_guide_tells_the_truth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    pytest.importorskip("polars")
    monkeypatch.chdir(tmp_path)
    found = blocks(GUIDE.read_text())
    shell = [code for _, code in found if code.startswith(("loopwright ", "pip "))]
    for line in "".join(shell).splitlines():
        if line.startswith("loopwright "):
            command(*shlex.split(line)[1:])
        elif line.startswith("mkdir "):
            (tmp_path / line.split()[1]).mkdir()
    names: dict[str, object] = {}
    wrong: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for first, code in found:
            if code not in shell:
                wrong += run(code, first, names)
    assert not wrong, "\n".join(wrong)


def test_the_guide_is_short() -> None:
    assert len(GUIDE.read_text().split()) <= 1800
