"""Wrong calls: always an exception of ours that names what was expected and found, and never a change of state."""

from __future__ import annotations

import random
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import loopwright
from loopwright import _native
from loopwright._settings import Settings


def arrays(**changed: Any) -> loopwright.Take:
    """A take of arrays, some of which are changed."""
    turned = np.zeros((5, 3, 4))
    turned[..., 3] = 1
    given: dict[str, Any] = {
        "names": ["Hips", "Spine", "Head"],
        "parents": [-1, 0, 1],
        "offsets": np.zeros((3, 3)),
        "rotations": turned,
        "positions": np.zeros((5, 3)),
        "fps": 30.0,
    }
    return loopwright.Take.from_arrays(**{**given, **changed})


NAN = np.full((3, 3), np.nan)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"names": "Hips"}, "names: expected a list of strings"),
        ({"names": []}, "names: expected one joint or more"),
        ({"parents": [-1, 0]}, r"parents: expected the shape \(3\), found \(2,\)"),
        ({"parents": [-1, 2, 1]}, "parents: expected 0 to 0 for joint 1, found 2"),
        ({"parents": [0, 0, 1]}, "parents: expected -1 for joint 0, found 0"),
        ({"offsets": np.zeros((3, 2))}, r"offsets: expected the shape \(3, 3\), found \(3, 2\)"),
        ({"offsets": NAN}, r"offsets: expected finite numbers, found nan at \[0, 0\]"),
        ({"offsets": [["a"] * 3] * 3}, "offsets: expected numbers, found <U1"),
        ({"offsets": [[0, 0, 0], [0, 0], [0, 0, 0]]}, "found rows of different lengths"),
        ({"rotations": np.zeros((5, 3, 4))}, r"rotations: expected unit quaternions, found one of length 0 at \[0, 0\]"),
        ({"rotations": np.ones((5, 3, 3))}, r"rotations: expected the shape \(any, 3, 4\)"),
        ({"rotations": np.ones((0, 3, 4))}, "rotations: expected one frame or more"),
        ({"rotations": np.ones((5, 3, 4), complex)}, "rotations: expected numbers, found complex128"),
        ({"positions": np.zeros((4, 3))}, r"positions: expected the shape \(5, 3\), found \(4, 3\)"),
        ({"positions": np.full((5, 3), 1e12)}, "beyond"),
        ({"fps": 0}, "fps: expected a positive number, found 0"),
        ({"fps": float("nan")}, "fps: expected a positive number"),
        ({"tips": np.zeros(3)}, r"tips: expected the shape \(3, 3\)"),
    ],
)
def test_arrays_that_are_none_of_a_motion(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(loopwright.ArrayError, match=said):
        arrays(**changed)


def test_settings_say_what_is_wrong(take: loopwright.Take, walk: Path, tmp_path: Path) -> None:
    wrong: list[tuple[Callable[[], object], type[Exception], str]] = [
        (lambda: take.make(cyclez=2), loopwright.SettingError, "cycles="),  # type: ignore[call-arg]
        (lambda: take.make(cycles=0), loopwright.SettingError, "cycles"),
        (lambda: take.make(cycles=-1), loopwright.SettingError, "cycles"),
        (lambda: take.make(method="cubix"), loopwright.SettingError, "expected one of"),
        (lambda: take.make(pick=0), loopwright.SettingError, "pick: expected a whole number from 1, found 0"),
        (lambda: take.make(pick=99), loopwright.MakeError, "99"),
        (lambda: take.make(idle=1), loopwright.SettingError, "idle: expected True or False, found 1"),  # type: ignore[arg-type]
        (lambda: take.make(seconds=5), loopwright.SettingError, "seconds: expected (low, high)"),  # type: ignore[arg-type]
        (lambda: take.make(seconds=(5, 1)), loopwright.SettingError, "seconds"),
        (lambda: take.make(rig=3), loopwright.SettingError, "rig: expected a path, found int"),  # type: ignore[arg-type]
        (lambda: take.make(rig="none.glb"), loopwright.SettingError, "none.glb"),
        (lambda: take.make(up="z"), loopwright.SettingError, "read already"),
        (lambda: take.make(hips="Hipz"), loopwright.SettingError, "Hipz"),
        (lambda: take.make({"closure": {"metod": 1}}), loopwright.SettingError, "metod"),
        (lambda: take.make({"closure": {"method": object()}}), loopwright.SettingError, "recipe"),
        (lambda: take.make("none.toml"), loopwright.SettingError, "none.toml"),
        (lambda: take.make(seconds=(50, 60)), loopwright.NoLoopError, "too short"),
        (lambda: take.close(-5, 3), loopwright.LoopwrightError, "-5"),
        (lambda: take.close(float("nan"), 3), loopwright.LoopwrightError, ""),
        (lambda: take.make(candidate=3), loopwright.SettingError, "candidate"),  # type: ignore[arg-type]
        (lambda: loopwright.read("none.bvh"), loopwright.ReadError, "none.bvh"),
        (lambda: loopwright.read(b"not motion"), loopwright.ReadError, ""),
        (lambda: loopwright.read(tmp_path), loopwright.ReadError, "folder"),
        (lambda: loopwright.read(3), loopwright.SettingError, "source: expected a path"),  # type: ignore[arg-type]
        (lambda: loopwright.load(walk), loopwright.ReadError, "sidecar"),
        (lambda: take.write(tmp_path / "x.xyz"), loopwright.WriteError, "extension"),
        (lambda: take.write(tmp_path / "none" / "x.bvh"), loopwright.WriteError, "folder"),
        (lambda: take.write(walk), loopwright.WriteError, "take itself"),
    ]
    for call, kind, said in wrong:
        with pytest.raises(kind) as raised:
            call()
        assert said in str(raised.value), str(raised.value)
        assert "--" not in str(raised.value), str(raised.value)
    assert isinstance(raised.value, loopwright.LoopwrightError) and raised.value.what
    assert take.make().grade == "good"


def test_a_thousand_random_wrong_calls(take: loopwright.Take, loop: loopwright.Loop) -> None:
    rng = random.Random(7)
    odd: list[Any] = [
        None, True, -1, 0, 1, 3.5, 1e300, float("nan"), float("inf"), "", "x", "left-contact", b"x", [], [1], [None],
        (1, 2), (3, 1), (None, None), {}, {"a": 1}, {"pattern": "*"}, object(), np.zeros(3), np.float64(2), Path("x"),
        "\0", "a" * 10_000, [[1, 2], [3]], {1: 2}, "\ud800", 10**30,
    ]
    names = [*({*_native.setting_names()} - {"start", "end"}), "nothing"]
    names.sort()
    calls: list[Callable[[], object]] = [
        lambda: take.find(top=rng.choice(odd), **{rng.choice(names): rng.choice(odd)}),
        lambda: take.make(rng.choice(odd), **{rng.choice(names): rng.choice(odd)}),
        lambda: take.make(pick=rng.choice(odd), **{rng.choice(names): rng.choice(odd)}),
        lambda: take.close(rng.choice(odd), rng.choice(odd), **{rng.choice(names): rng.choice(odd)}),
        lambda: arrays(**{rng.choice(["names", "parents", "offsets", "rotations", "positions", "fps", "tips", "name"]): rng.choice(odd)}),
        lambda: loop.sample(rng.choice(odd)),
        lambda: loop.root(rng.choice(odd)),
        lambda: loop.to_bytes(rng.choice(odd)),
        lambda: loopwright.read(rng.choice(odd), **{rng.choice(names): rng.choice(odd)}),
        lambda: loopwright.load(rng.choice(odd)),
    ]
    refused = 0
    for _ in range(1000):
        try:
            rng.choice(calls)()
        except loopwright.LoopwrightError as error:
            assert not isinstance(error, loopwright.InternalError), error
            refused += 1
    assert refused > 300


def test_settings_are_those_of_the_recipe() -> None:
    # The ends of a stretch are arguments of `close`.
    assert {*Settings.__annotations__, "start", "end"} == {*_native.setting_names()}


def test_the_stubs_are_those_of_the_module() -> None:
    import ast

    stubs = ast.parse(Path(_native.__file__).with_name("_native.pyi").read_text())
    names = {node.name: node for node in stubs.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    public = {name for name in dir(_native) if not name.startswith("_")}
    assert public == {name for name in names if not name.startswith("_")}
    for name, node in names.items():
        if isinstance(node, ast.ClassDef):
            members = {member.name: member for member in node.body if isinstance(member, ast.FunctionDef)}
            found = {member for member in dir(getattr(_native, name)) if not member.startswith("_")}
            assert found == set(members), name
            functions = {f"{name}.{key}": (getattr(getattr(_native, name), key), value) for key, value in members.items()}
        else:
            functions = {name: (getattr(_native, name), node)}
        for title, (function, stub) in functions.items():
            signature = getattr(function, "__text_signature__", None)
            if signature is not None:
                found_names = [part.strip(" /*").split("=")[0] for part in signature.strip("()").split(",")]
                found_names = [part for part in found_names if part not in ("", "$self", "self")]
                stated = [argument.arg for argument in stub.args.args if argument.arg != "self"]
                assert found_names == stated, title


def test_work_leaves_the_lock_to_others_and_can_be_interrupted(tmp_path: Path, walk: Path) -> None:
    slow = tmp_path / "long.bvh"
    _native.answer(["loopwright", "synth", "-o", str(slow), "--seconds", "300"])
    take = loopwright.read(slow)
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    take.find()
    done.set()
    thread.join()
    assert ticks > 3
    # Shells start what goes on in the background with this signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.05, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(1000):
            take.find(half_life=0.1 + 1e-6 * time.time() % 1e-7)
    timer.join()
    signal.signal(signal.SIGINT, before)
    assert loopwright.read(walk).find()


def test_errors_speak_of_arguments(take: loopwright.Take) -> None:
    """By their names and with their values, as they were written; hints are arguments, too."""
    wrong: list[tuple[dict[str, Any], str, str | None]] = [
        ({"blend": -1}, "blend must be a positive number of seconds, found -1.0", "blend=0.4"),
        ({"blend": "x"}, "blend: expected a number, found 'x'", None),
        ({"method": "cubix"}, "method: expected one of", None),
        ({"for_": "unrael"}, "for_: expected one of", 'for_="unreal"'),
        ({"frames": -1}, "frames: expected a whole number from 0, found -1", None),
        ({"shifted": 1}, "shifted: expected True or False, found 1", None),
        ({"feet": 3}, "feet: expected a list of texts, or a dict, found 3", None),
        ({"climb": (2, 1)}, "climb: expected (low, high)", None),
        ({"cycles": 1.5}, "cycles: expected a whole number from 1, found 1.5", None),
        ({"turning": "up"}, 'turning: expected one of "left", "right", "none", found \'up\'', None),
        ({"turning": "left", "turn_rate": (1, 2)}, "turning: excludes turn_rate, and both are given", None),
        ({"joint": [{"pattern": "*", "metod": "open"}]}, "joint: unknown field `metod`", None),
        ({"half_life": -1}, "half_life", None),
        ({"vary_seed": 3}, "vary_seed and vary_amount say how vary varies cycles", "vary=60, or neither of the two"),
        ({"within": (5, 10**6)}, "within", None),
        ({"ping_pong": True, "symmetric": True}, "ping_pong", "one of the two"),
    ]
    for settings, what, hint in wrong:
        with pytest.raises(loopwright.SettingError) as raised:
            take.make(**settings)
        assert isinstance(raised.value, ValueError)
        assert raised.value.what.startswith(what), raised.value.what
        assert hint is None or raised.value.hint == hint, raised.value.hint
        assert "--" not in str(raised.value) and "TOML" not in str(raised.value), str(raised.value)
    with pytest.raises(loopwright.NoLoopError) as none:
        take.make(seconds=(50, 60))
    assert none.value.hint == "a longer take, or a shorter seconds=(LOW, HIGH)"


def test_what_is_quoted_in_errors_stays(tmp_path: Path) -> None:
    with pytest.raises(loopwright.ReadError) as raised:
        loopwright.read(tmp_path / "a--blend 3.bvh")
    assert "a--blend 3.bvh" in raised.value.what
