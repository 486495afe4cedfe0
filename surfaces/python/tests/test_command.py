"""The command of the package is the command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import loopwright


def run(*args: str, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "loopwright", *args], capture_output=True, text=True, check=False, **more)  # type: ignore[call-overload,no-any-return]


def test_the_command_runs(tmp_path: Path) -> None:
    assert run("--version").stdout == f"loopwright {loopwright.__version__}\n"
    made = run("demo", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert (tmp_path / "loopwright-demo").is_dir()
    wrong = run("make", "none.bvh", "--json", cwd=tmp_path)
    assert wrong.returncode == 2 and "try:" in wrong.stderr and '"error"' in wrong.stdout
    assert run("chek").returncode == 2


def test_importing_needs_no_numpy_until_it_is_used() -> None:
    code = "import sys, loopwright; assert 'numpy' not in sys.modules; loopwright.Take; assert 'numpy' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
