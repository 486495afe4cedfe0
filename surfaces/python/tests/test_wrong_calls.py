"""Wrong calls: always an exception of ours that names what was expected and found, and never a change of state."""

from __future__ import annotations

import re
import signal
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import loopwright
from loopwright import _native, bridges
from loopwright._settings import Settings

from conftest import command
from test_bridges import of_kimodo


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


# A call, the error that it raises, and words that are in its text.
WRONG = [
    ("arrays(names='Hips')", "ArrayError: names: expected a list of strings"),
    ("arrays(names=[])", "ArrayError: names: expected one joint or more"),
    ("arrays(names=['Hips', 'Hips', 'Head'])", "ArrayError: names: expected each once, found 'Hips' again"),
    ("arrays(unit=0)", "ArrayError: unit: expected a positive number, found 0"),
    ("arrays(up='w')", "ArrayError: up: expected one of +y"),
    ("Take.from_positions(np.zeros((2, 9, 3)), fps=30)", "ArrayError: humanml3d (22) | try: its own names and parents"),
    ("Take.from_positions(np.zeros((2, 3)), fps=30)", "ArrayError: positions: expected the shape (any, any, 3)"),
    ("Take.from_positions(np.zeros((2, 22, 3)), 'smpl', fps=30)", "ArrayError: positions: expected the shape (any, 24, 3)"),
    ("read(take.to_bytes('npz'), feet=['LeftTo'])", "SettingError: there is no joint named 'LeftTo' | try: 'Left"),
    ("inspect(take, contact_speed=0.1)", "SettingError: read already"),
    ("take.close(1, 50, closure='spring')", "SettingError: closure | try: method="),
    ("arrays(parents=[-1, 0])", "ArrayError: parents: expected the shape (3), found (2,)"),
    ("arrays(parents=[-1, 2, 1])", "ArrayError: parents: expected 0 to 0 for joint 1, found 2"),
    ("arrays(parents=[0, 0, 1])", "ArrayError: parents: expected -1 for joint 0, found 0"),
    ("arrays(offsets=np.zeros((3, 2)))", "ArrayError: offsets: expected the shape (3, 3), found (3, 2)"),
    ("arrays(offsets=np.full((3, 3), np.nan))", "ArrayError: offsets: expected finite numbers, found nan at [0, 0]"),
    ("arrays(offsets=[['a'] * 3] * 3)", "ArrayError: offsets: expected numbers, found <U1"),
    ("arrays(offsets=[[0, 0, 0], [0, 0], [0, 0, 0]])", "ArrayError: found rows of different lengths"),
    ("arrays(rotations=np.zeros((5, 3, 4)))", "ArrayError: rotations: expected unit quaternions, found one of length 0 at [0, 0]"),
    ("arrays(rotations=np.ones((5, 3, 3)))", "ArrayError: rotations: expected the shape (any, 3, 4)"),
    ("arrays(rotations=np.ones((0, 3, 4)))", "ArrayError: rotations: expected one frame or more"),
    ("arrays(rotations=np.ones((5, 3, 4), complex))", "ArrayError: rotations: expected numbers, found complex128"),
    ("arrays(positions=np.zeros((4, 3)))", "ArrayError: positions: expected the shape (5, 3), found (4, 3)"),
    ("arrays(positions=np.full((5, 3), 1e12))", "ArrayError: beyond"),
    ("arrays(fps=0)", "ArrayError: fps: expected a positive number, found 0"),
    ("arrays(fps=np.nan)", "ArrayError: fps: expected a positive number"),
    ("arrays(tips=np.zeros(3))", "ArrayError: tips: expected the shape (3, 3)"),
    ("Take.from_dict(3)", "ArrayError: expected a dictionary"),
    ("Take.from_dict({'names': []})", "ArrayError: expected the key 'parents', found 'names'"),
    ("Take.from_dict(loop.to_dict() | {'name': 'a', 'frames': 3})", "ArrayError: found 'frames'"),
    ("take.make(cyclez=2)", "SettingError: cycles="),
    ("take.make(cycles=0)", "SettingError: cycles"),
    ("take.make(cycles=1.5)", "SettingError: cycles: expected a whole number from 1, found 1.5"),
    ("take.make(blend=-1)", "SettingError: blend must be a positive number of seconds, found -1.0 | try: blend=0.4"),
    ("take.make(blend='x')", "SettingError: blend: expected a number, found 'x'"),
    ("take.make(method='cubix')", "SettingError: method: expected one of"),
    ("take.make(for_='unrael')", "SettingError: for_: expected one of | try: for_=\"unreal\""),
    ("take.make(frames=-1)", "SettingError: frames: expected a whole number from 0, found -1"),
    ("take.make(shifted=1)", "SettingError: shifted: expected True or False, found 1"),
    ("take.make(feet=3)", "SettingError: feet: expected a list of texts, or a dict, found 3"),
    ("take.make(climb=(2, 1))", "SettingError: climb: expected (low, high)"),
    ("take.make(turning='up')", "SettingError: turning: expected one of \"left\", \"right\", \"none\", found 'up'"),
    ("take.make(turning='left', turn_rate=(1, 2))", "SettingError: turning: excludes turn_rate, and both are given"),
    ("take.make(joint=[{'pattern': '*', 'metod': 'open'}])", "SettingError: joint: unknown field `metod`"),
    ("take.make(half_life=-1)", "SettingError: half_life"),
    ("take.make(vary_seed=3)", "SettingError: vary_seed and vary_amount say how vary varies cycles | try: vary=60, or neither of the two"),
    ("take.make(within=(5, 10**6))", "SettingError: within"),
    ("take.make(ping_pong=True, symmetric=True)", "SettingError: ping_pong | try: one of the two"),
    ("take.make(pick=0)", "SettingError: pick: expected a whole number from 1, found 0"),
    ("take.make(pick=99)", "MakeError: 99"),
    ("take.make(seconds=5)", "SettingError: seconds: expected (low, high)"),
    ("take.make(seconds=(50, 60))", "NoLoopError: too short | try: a longer take, or a shorter seconds=(LOW, HIGH)"),
    ("take.make(rig=3)", "SettingError: rig: expected a path, found int"),
    ("take.make(rig='none.glb')", "SettingError: none.glb"),
    ("take.make(up='z')", "SettingError: read already"),
    ("take.make(hips='Hipz')", "SettingError: Hipz"),
    ("take.make({'closure': {'metod': 1}})", "SettingError: metod"),
    ("take.make({'closure': {'method': object()}})", "SettingError: recipe"),
    ("take.make('none.toml')", "SettingError: none.toml"),
    ("take.make(candidate=3)", "SettingError: candidate"),
    ("take.close(-5, 3)", "MakeError: -5"),
    ("take.close(float('nan'), 3)", "MakeError: "),
    ("read('none.bvh')", "ReadError: none.bvh"),
    ("read('a--blend 3.bvh')", "ReadError: a--blend 3.bvh"),
    ("read(b'not motion')", "ReadError: "),
    ("read('.')", "ReadError: folder"),
    ("read(3)", "SettingError: source: expected a path"),
    ("load('slow.bvh')", "ReadError: sidecar"),
    ("take.write('x.xyz')", "WriteError: extension"),
    ("take.write('none/x.bvh')", "WriteError: folder"),
    ("take.write(take.path)", "WriteError: take itself"),
    ("blend([1])", "SettingError: loops[0]: expected a Loop or a path, found int"),
    ("blend([])", "SettingError: loops: expected one or more, found none"),
    ("blend(loops, [1])", "SettingError: there are 2 loops and 1 weights"),
    ("blend(loops, 3)", "ArrayError: weights: expected the shape (any), found ()"),
    ("blend(loops, [1, -1])", "SettingError: at least 0, found -1"),
    ("blend(loops, speed=9)", "SettingError: speed=9 is outside"),
    ("blend(loops, speed='x')", "SettingError: speed: expected a number, found 'x'"),
    ("blend(loops, lock_feet='x')", "SettingError: lock_feet: expected one of \"auto\""),
    ("blend(loops, rig='none.glb')", "MakeError: none.glb"),
    ("blend('none')", "ReadError: none"),
    ("play(loops, -1)", "SettingError: seconds: expected a positive number, found -1"),
    ("play(loops, fps=0)", "SettingError: fps: expected a positive number, found 0"),
    ("play(loops, cycles=3)", "SettingError: cycles: expected (fewest, most), whole numbers from 1 in order, found 3"),
    ("cost(loops[0])", "SettingError: b: expected a second motion"),
    ("cost(*loops, frames=(1, 999))", "SettingError: has no frame 999"),
    ("cost(*loops, frames=(-1, 1))", "SettingError: \"-1\" is no frame"),
    ("cost(*loops, frames=3)", "SettingError: frames: expected (exit, entry), found 3"),
    ("cost(*loops, half_life=99)", "SettingError: half_life: expected 0.001 to 10 seconds, found 99"),
    ("cost(*loops, size=0)", "SettingError: size: expected a whole number from 1"),
    ("fit([])", "SettingError: takes: expected one or more"),
    ("fit(loops)", "SettingError: takes[0]: expected a Take or a path, found Loop"),
    ("mirror(loops[0], {'a': 'b'})", "SettingError: no joint named \"a\""),
    ("retarget(take, 'x.glb', bonestretch=1)", "SettingError: there is no setting 'bonestretch' | try: bone_stretch="),
    ("retarget(3, 'x.glb')", "SettingError: motion: expected a Take, a Loop or a path"),
    ("check('none.bvh')", "CommandError: none.bvh"),
    ("Database.build([])", "SettingError: motions: expected one or more"),
    ("Database.build([3])", "SettingError: motions[0]: expected a Take, a Loop or a path"),
    ("Database.build('slow.bvh', features='x')", "SettingError: features: expected one of"),
    ("Database.build('slow.bvh', ahead=[1, 2])", "SettingError: ahead: expected three times | found [1, 2]"),
    ("Database.build('slow.bvh', add=3)", "SettingError: add: expected a Database, found int"),
    ("Database.load('slow.bvh')", "ReadError: not a match database"),
    ("Database.load('none')", "ReadError: cannot read \"none\""),
    ("Database.build('slow.bvh').query('slow.bvh', 99_999)", "SettingError: has no frame 99999"),
    ("Database.build('slow.bvh').query('slow.bvh', 1.5)", "SettingError: frame: expected a whole number"),
    ("Database.build('slow.bvh').query('slow.bvh', 1, speed=1e9)", "SettingError: speed: expected a number from -100 to 100"),
    ("Database.build('slow.bvh').query('slow.bvh', 1, gait='x')", "SettingError: gait: expected one of"),
    ("make_set('short.bvh')", "NoLoopError: no take gives a loop"),
    ("make_set('slow.bvh', variants=0)", "SettingError: variants"),
    ("make_set('slow.bvh', format='obj')", "SettingError: format"),
    ("batch('slow.bvh', 'new', sped=1)", "SettingError: no setting 'sped'"),
    ("batch('slow.bvh', 'new', method='quntic')", "SettingError: quntic"),
    ("batch('slow.bvh', 'new', to='mp4')", "SettingError: to: expected one of bvh, fbx"),
    ("batch('slow.bvh', 'new', every_cycle=True)", "SettingError: one loop of each take"),
    ("batch('slow.bvh', 'new', threads=0)", "SettingError: threads: expected a whole number"),
    ("batch('slow.bvh', 'new', recipe='no.toml')", "SettingError: no.toml"),
    ("batch('empty', 'new')", "ReadError: no take in the folder"),
    ("batch('nowhere', 'new')", "ReadError: no file or folder"),
    ("batch('empty/*.bvh', 'new')", "ReadError: no take matches"),
    ("batch([], 'new')", "SettingError: source: expected one or more, found none"),
    ("batch(3, 'new')", "SettingError: source: expected a folder"),
    ("loop_row('slow.bvh', 'new', sped=1)", "SettingError: no setting 'sped'"),
    ("cycles('slow.bvh', 0)", "SettingError: phases: expected a whole number from 1"),
    ("cycles('slow.bvh', 10**8)", "SettingError: phases: expected at most 10000, found 100000000"),
    ("cycles('slow.bvh', True)", "SettingError: phases: expected a whole number from 1"),
    ("cycles('slow.bvh', 8, threads=1.5)", "SettingError: threads: expected a whole number from 1"),
    ("cycles('slow.bvh', sped=(1, 2))", "SettingError: no setting 'sped'"),
    ("cycles(3)", "SettingError: source: expected a folder, a file, a take or paths, found int"),
    ("cycles('empty')", "ReadError: no take in the folder"),
    ("cycles('short.bvh').positions", "ArrayError: there is no cycle"),
    ("Cycles.load('text.npz')", "ReadError: text.npz"),
    ("Cycles.load('other.npz')", "ReadError: other.npz"),
    ("Cycles.load('missing.npz')", "ReadError: missing.npz"),
    ("cycles('slow.bvh', 8).save('\\0')", "SettingError: path: no file can have the name"),
    ("table([]).to_csv('x' * 256)", "SettingError: path: no file can have the name"),
    ("table(3)", "ArrayError: items: expected candidates"),
    ("arrays(fps=10**400)", "ArrayError: fps: expected a positive number"),
    ("Take.from_positions(np.zeros((2, 3, 3)), np.zeros(3), fps=30)", "ArrayError: body: expected one of smpl"),
    ("table([3])", "ArrayError: items: expected candidates"),
    ("gait(3)", "ArrayError: motion: expected a take or a loop, found int"),
    ("plot.seam(take)", "ArrayError: loop: expected Loop, found Take"),
    ("plot.seam(loop, ['Tail'])", "ArrayError: joints: expected names of joints, found 'Tail'"),
    ("plot.contacts(3)", "ArrayError: motion: expected Take or Loop, found int"),
    ("plot.candidates([])", "ArrayError: found: expected Found, found list"),
    ("plot.phases([take])", "ArrayError: loops: expected Loop, found Take"),
    ("plot.path(loop, axes=3)", "ArrayError: axes: expected axes of matplotlib, found int"),
    ("bridges.from_npz({'thing': np.array([None])})", "ArrayError: thing: expected numbers or texts, found object"),
    ("bridges.from_npz({'thing': np.zeros(3)})", "ArrayError: data: | no motion that is known"),
    ("bridges.to_pybvh(3)", "ArrayError: motion: expected a take or a loop, found int"),
    ("bridges.to_pybvh(take, unit=0)", "ArrayError: unit: expected a positive number, found 0"),
    ("bridges.to_pybvh(take, order='XYY')", "ArrayError: order: expected X, Y and Z"),
    ("bridges.from_pybvh('walk.bvh')", "ArrayError: bvh: expected a pybvh.Bvh, found str"),
    ("bridges.from_pybvh(bridges.to_pybvh(take), up='w')", "ArrayError: up: expected one of"),
    ("amass(trans=None)", "ArrayError: expected the key 'trans', found 'poses'"),
    ("amass(poses=np.zeros((5, 71)))", "ArrayError: poses: expected 72 columns or more | found 71"),
    ("amass(trans=np.zeros((4, 3)))", "ArrayError: trans: expected the shape (5, 3), found"),
    ("amass(poses=np.full((5, 72), np.nan))", "ArrayError: poses: expected finite numbers"),
    ("amass((3, 4, 5))", "ArrayError: skeleton: expected a list of names, found int"),
    ("amass('body')", "ArrayError: skeleton: expected a take, or names, parents and offsets, found str"),
    ("amass(mocap_framerate='fast')", "ArrayError: mocap_framerate: expected numbers"),
    ("amass(mocap_framerate=None)", "ArrayError: fps: expected mocap_framerate"),
    ("bridges.from_amass('text.npz', take)", "ReadError: text.npz"),
    ("bridges.from_amass('missing.npz', take)", "ReadError: missing.npz"),
    ("bridges.to_kimodo(take)", "ArrayError: the 30 joints of Kimodo, found none named Chest"),
    ("bridges.to_kimodo(Take.from_dict(of_kimodo().to_dict() | {'fps': 60}))", "ArrayError: expected 30 frames per second, found 60"),
    ("bridges.from_kimodo({})", "ArrayError: expected the key 'posed_joints', found none"),
    (
        "bridges.from_kimodo({'posed_joints': np.zeros((3, 22, 3)), 'global_rot_mats': np.zeros((3, 22, 3, 3))})",
        "ArrayError: posed_joints: expected the shape (any, 30, 3) or (any, 34, 3) or (any, 77, 3), found (3, 22, 3)",
    ),
    ("bridges.from_kimodo({'posed_joints': np.zeros((3, 30, 3)), 'global_rot_mats': np.zeros((20, 30, 3, 3))})", "ArrayError: global_rot_mats"),
]


@pytest.mark.parametrize(("call", "said"), WRONG)
def test_wrong_calls_say_what_is_wrong(names: dict[str, Any], call: str, said: str) -> None:
    if "pybvh" in call:
        pytest.importorskip("pybvh")
    Path("empty").mkdir(exist_ok=True)
    Path("text.npz").write_text("no archive")
    np.savez("other.npz", a=np.zeros(3))
    if "short" in call:
        command("synth", "-o", "short.bvh", "--seconds", 0.3, "-f")

    def amass(skeleton: object = names["take"], **changed: object) -> loopwright.Take:
        data = {"poses": np.zeros((5, 72)), "trans": np.zeros((5, 3)), "mocap_framerate": 30, **changed}
        stated: dict[str, Any] = {name: value for name, value in data.items() if value is not None}
        return bridges.from_amass(stated, skeleton)  # type: ignore[arg-type]

    with warnings.catch_warnings(), pytest.raises(loopwright.LoopwrightError) as raised:
        warnings.simplefilter("ignore")
        eval(call, {**names, "arrays": arrays, "amass": amass, "of_kimodo": of_kimodo})
    kind, _, words = said.partition(": ")
    text = str(raised.value)
    assert type(raised.value).__name__ == kind and isinstance(raised.value, ValueError) == (kind in ("SettingError", "ArrayError"))
    assert all(part in text for part in words.split(" | ")) and raised.value.what, text
    # In words of Python, but for what is quoted.
    assert not re.search("--|TOML" if kind == "SettingError" else "--", re.sub('".*?"', "", text)), text
    assert not Path("new").exists()


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
