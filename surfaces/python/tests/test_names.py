"""The page of names: what a setting is called in Python, in recipes and on the command line. This test writes it anew where it differs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from conftest import command

from loopwright import _native
from loopwright._settings import _ELSEWHERE

PAGE = Path(__file__).resolve().parents[3] / "docs/formats/names.md"

HEAD = """# Names of settings

A keyword of Python is the key of a recipe with `_` for `-`. Here are those of each table, and the flag of what has one; `--set TABLE.KEY=VALUE` sets the others,
and `loopwright recipe TABLE.KEY` explains them. Of `[[]]` there may be several. The nearest name is told of an unknown one. A test writes this page.

| table | Python, and the flag |
| --- | --- |
"""


def test_the_page_of_names_is_true() -> None:
    keys: dict[str, str] = {}
    section = ""
    for line in command("recipe").splitlines():
        if heading := re.fullmatch(r"(?:# )?(\[\[?)([a-z-]+)\]\]?", line):
            section = heading[2] if heading[1] == "[" else ""
            if heading[1] == "[[":
                keys[heading[2]] = f"[[]].{heading[2]}"
        elif section and (key := re.match(r"(?:# )?([a-z-]+) = ", line)):
            name = "for_" if key[1] == "for" else key[1].replace("-", "_")
            keys.setdefault(name, f"{section}.{key[1]}")
    ask = [sys.executable, "-m", "loopwright"]
    helps = "".join(subprocess.check_output([*ask, of, "--help"], text=True) for of in ("make", "close", "find"))
    flags = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)", helps, re.MULTILINE))
    flag_of = {name: flag for flag, name in _ELSEWHERE.items() if flag in flags and name != "within"}
    names = _native.setting_names()
    # Conditions of a search have no key, and two of them the name of one.
    conditions = names[1 : names.index("every_cycle") + 1]
    tables: dict[str, list[str]] = {"": []}
    for name in names:
        flag = flag_of.get(name, name.replace("_", "-"))
        table = "" if name in conditions else keys.pop(name).rpartition(".")[0]
        tables.setdefault(table, []).append(f"`{name}`" + (f" (`--{flag}`)" if flag in flags else ""))
    made = HEAD
    for table, listed in tables.items():
        made += f"| {f'`{table}`' if table else 'conditions of a search'} | {', '.join(listed)} |\n"
    made += f"| `recipe=` alone | {', '.join(f'`{key}`' for key in keys.values())} |\n"
    if not PAGE.exists() or PAGE.read_text() != made:
        PAGE.write_text(made)
        raise AssertionError(f"{PAGE.name} was not true and is written anew")
