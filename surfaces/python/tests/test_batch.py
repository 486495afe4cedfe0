"""Many takes: the files and rows of the command, in any number of threads."""

from __future__ import annotations

import filecmp
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import loopwright

from conftest import command
# Other processes find the package where this one does.
HERE = {**os.environ, "PYTHONPATH": str(Path(loopwright.__file__).parent.parent)}


@pytest.fixture(scope="module")
def takes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of takes: three of them loop, one is cut off, one too short, and one is a loop with its sidecar."""
    folder = tmp_path_factory.mktemp("batch") / "takes"
    for name, seed, seconds in (("walk", 0, 4), ("slow/walk", 1, 4), ("slow/b", 2, 4), ("short", 3, 1)):
        path = folder / f"{name}.bvh"
        path.parent.mkdir(parents=True, exist_ok=True)
        command("synth", "-o", path, "--seed", seed, "--seconds", seconds, "--fps", 30)
        os.remove(f"{path}.truth.json")
    (folder / "cut.bvh").write_bytes((folder / "walk.bvh").read_bytes()[:3000])
    loopwright.read(folder / "walk.bvh").make().write(folder / "walk-loop.bvh")
    (folder / "notes.txt").write_text("no take")
    return folder


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def of_command(takes: Path, output: Path, *flags: str) -> list[dict[str, Any]]:
    """The rows that the command prints."""
    asked = [sys.executable, "-m", "loopwright", "make", str(takes), "-o", f"{output}/", "--json", "-q", *flags]
    printed = subprocess.run(asked, env=HERE, stdout=subprocess.PIPE, text=True).stdout
    os.remove(output / ".loopwright-batch.jsonl")
    return [json.loads(line) for line in printed.splitlines()[:-1]]


@pytest.mark.parametrize("settings", [{}, {"for_": "unity"}, {"for_": "bevy", "method": "spring"}, {"to": "npz"}])
def test_files_and_rows_are_those_of_the_command(takes: Path, tmp_path: Path, settings: dict[str, Any]) -> None:
    flags = {"for_": "--for", "to": "--to", "method": "--closure"}
    typed = [word for name, value in settings.items() for word in (flags[name], value)]
    (tmp_path / "loops").mkdir()
    wanted = of_command(takes, tmp_path / "loops", *typed)
    (tmp_path / "loops").rename(tmp_path / "theirs")
    rows = loopwright.batch(takes, tmp_path / "loops", **settings)
    assert files(tmp_path / "loops") == files(tmp_path / "theirs") != []
    same, other, strange = filecmp.cmpfiles(
        tmp_path / "loops", tmp_path / "theirs", files(tmp_path / "loops"), shallow=False
    )
    assert len(same) == 6 and other == strange == []
    for row, line in zip(rows, wanted, strict=True):
        assert (row["path"], row["verdict"], row["reason"]) == (line["take"], line["verdict"], line["reason"])
        if line["loop"]:
            assert {name: row[name] for name in line["loop"]} == line["loop"]


def test_engines_read_what_the_command_writes_for_them(takes: Path, tmp_path: Path) -> None:
    for engine in ("godot", "unity", "unity-humanoid", "unreal", "bevy", "blender", "three", "generic"):
        printed = command("make", takes / "walk.bvh", "-o", f"{tmp_path}/{engine}/", "--for", engine, "--json")
        output = loopwright.tasks(takes / "walk.bvh", tmp_path / engine, recipe={"output": {"for": engine}})[0]["output"]
        assert json.loads(printed)["outputs"][0] == output


def test_nothing_is_overwritten_without_force(takes: Path, tmp_path: Path) -> None:
    loops = tmp_path / "loops"
    (loops / "slow").mkdir(parents=True)
    (loops / "slow/b-loop.bvh.json").write_text("mine")
    rows = loopwright.batch(takes, loops)
    assert [row["verdict"] for row in rows] == ["unreadable", "no-loop", "failed", "good", "good"]
    assert "exists already" in rows[2]["reason"] and (loops / "slow/b-loop.bvh.json").read_text() == "mine"
    before = {name: (loops / name).read_bytes() for name in files(loops)}
    assert {row["verdict"] for row in loopwright.batch(takes, loops).where(output=None)[2:]} == {"failed"}
    assert {name: (loops / name).read_bytes() for name in files(loops)} == before
    assert [row["verdict"] for row in loopwright.batch(takes, loops, force=True)][2:] == ["good"] * 3


@pytest.mark.parametrize("writer", ["polars", "pyarrow"])
def test_the_command_reads_catalogs(takes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: str) -> None:
    pytest.importorskip(writer)
    monkeypatch.setattr("loopwright._tables._has_no_polars", lambda: writer == "pyarrow")
    loops = tmp_path / "loops"
    rows = loopwright.batch(takes, loops, catalog=loops / "all.parquet")
    printed = command("catalog", loops / "all.parquet", "--json")
    found = json.loads(printed)["rows"]
    made = [row for row in rows if row["output"]]
    assert found == [{name: row[name] for name in found[0]} for row in made] and len(found) == 3
    with pytest.raises(loopwright.WriteError, match="exists already"):
        loopwright.batch(takes, tmp_path / "others", catalog=loops / "all.parquet")
    assert not (tmp_path / "others").exists()
    none = loopwright.batch(takes / "short.bvh", tmp_path / "none", catalog=tmp_path / "none.parquet")
    printed = command("catalog", tmp_path / "none.parquet", "--json")
    assert none[0]["verdict"] == "no-loop" and json.loads(printed)["rows"] == []


def test_a_setting_that_a_take_cannot_follow_is_in_its_row(takes: Path, tmp_path: Path) -> None:
    row = loopwright.loop_row(takes / "walk.bvh", tmp_path / "walk.bvh", feet=["No", "Nowhere"])
    assert row["verdict"] == "failed" and "No" in row["reason"] and files(tmp_path) == []


def test_a_bar_shows_progress(takes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    loopwright.batch(takes, tmp_path, progress=True)
    assert "5/5" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="signals differ")
def test_an_interrupt_stops_it_and_leaves_whole_files(takes: Path, tmp_path: Path) -> None:
    """A hundred takes; the interrupt comes when three are done."""
    (tmp_path / "takes").mkdir()
    for number in range(100):
        (tmp_path / f"takes/{number}.bvh").write_bytes((takes / "walk.bvh").read_bytes())
    program = (
        "import os, signal, loopwright\n"
        "def stop(done, total):\n"
        "    if done == 3: os.kill(os.getpid(), signal.SIGINT)\n"
        "loopwright.batch('takes', 'loops', threads=2, progress=stop)\n"
    )
    began = time.monotonic()
    ended = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=HERE, capture_output=True, text=True, timeout=60)
    assert ended.returncode in (1, -signal.SIGINT, 130) and "KeyboardInterrupt" in ended.stderr
    assert time.monotonic() - began < 30
    made = sorted((tmp_path / "loops").iterdir())
    assert 3 <= len(made) / 2 < 20
    for path in made:
        if path.suffix == ".bvh":
            assert loopwright.load(path).grade == "good"
