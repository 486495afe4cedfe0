# Measures anew what docs/benchmark.md states, and fills its tables between the markers.
#
#   python bench/page.py [loops|others|speed|truth|files...]     without parts all whose data are here
#   python bench/page.py --check                           fails where the README states a figure that is no cell of the page
#
# Needs numpy, and takes in ../shared/mocap or in the folder that LOOPWRIGHT_MOCAP names; LOOPWRIGHT_OTHERS is the folder of others.py. The scripts
# beside this one say what else they can use.
# LOOPWRIGHT names the command to measure, instead of one that is built as it is shipped.

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
PAGE = PROJECT / "docs/benchmark.md"
# The figures of the README stand in the table of this section, whose rows and columns have the names that they have on the page.
FIGURES = "## How well it works"


def files():
    """The table of .ci/clients, which builds the command, and passes over programs that cannot be had."""
    printed = subprocess.run([PROJECT / ".ci/clients"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {"files": re.search(r"^\|.*(?:\n\|.*)*", printed, re.M)[0]}


def shipped():
    subprocess.run(["cargo", "build", "--profile", "dist", "--quiet", "--package", "loopwright_cli"], cwd=PROJECT, check=True)
    return str(PROJECT / os.environ.get("CARGO_TARGET_DIR", "target") / "dist/loopwright")


def measured(parts):
    """The contents of the sections of some parts, by their names."""
    import loops
    import others
    import speed
    import truth

    command = os.environ.get("LOOPWRIGHT") or shipped()
    mocap = Path(os.environ.get("LOOPWRIGHT_MOCAP", PROJECT / "../shared/mocap"))
    theirs = Path(os.environ.get("LOOPWRIGHT_OTHERS", mocap / "../others"))
    scripts = {"loops": (loops, mocap), "others": (others, theirs), "speed": (speed, PROJECT / ".ci/batch-takes"), "truth": (truth, mocap)}
    with tempfile.TemporaryDirectory() as scratch:
        for part in parts or [*(part for part, (_, about) in scripts.items() if about.exists()), "files"]:
            if part == "files":
                yield from files().items()
            else:
                script, about = scripts[part]
                yield from script.sections(command, about, Path(scratch)).items()


def filled(page, section, contents):
    begin, end = f"<!-- begin measured: {section} -->\n", "<!-- end measured -->"
    before, old = page.split(begin)
    return before + begin + contents + "\n" + old[old.index(end) :]


def cells(text):
    """All cells of the tables of a text, each with the names of its row and of its column."""
    columns = None
    for line in text.splitlines():
        row = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else None
        if row and columns:
            yield from ((row[0], column, cell) for column, cell in zip(columns[1:], row[1:]))
        columns = row and (columns or row)


def main(*parts):
    page = PAGE.read_text()
    if parts == ("--check",):
        _, _, rest = (PROJECT / "README.md").read_text().partition(FIGURES)
        stated = set(cells(rest.split("\n## ")[0]))
        faults = [f"README.md: {PAGE.name} has no {value} for {row}, {column}" for row, column, value in stated - set(cells(page))]
        sys.exit("\n".join(faults) or (0 if stated else f"README.md: no table under {FIGURES}"))
    for section, contents in measured(parts):
        page = filled(page, section, contents)
    PAGE.write_text(page)


if __name__ == "__main__":
    main(*sys.argv[1:])
