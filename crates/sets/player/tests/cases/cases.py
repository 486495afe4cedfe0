"""Makes the set and the table of cases by which players of sets are compared: this folder.

    python crates/sets/player/tests/cases/cases.py

Walks and runs whose feet stand exactly, made up of formulas, as set.json and hero.glb; then docs/formats/set_player.py plays them, and cases.json
says what it shows. Needs numpy.
"""
import json, math, sys
from pathlib import Path
import numpy as np
sys.path.insert(0, str(Path(__file__).parents[5] / "bench/peers"))
from gltf import Gltf
from set_player import NONE, Player, Set, exp, inverse, q_exp, q_log, q_mul, q_turn, then

RATE, THIGH, SHIN, ANKLE, HIPS, FOOT = 30, 0.42, 0.42, 0.08, 0.83, 0.13
JOINTS = [("Hips", -1, (0, HIPS, 0))] + [
    (side + name, parent + at, place) for side, x, at in (("Left", 0.09, 0), ("Right", -0.09, 4))
    for name, parent, place in (("UpLeg", 0 - at, (x, -0.03, 0)), ("Leg", 1, (0, -THIGH, 0)), ("Foot", 2, (0, -SHIN, 0)), ("ToeBase", 3, (0, -ANKLE, FOOT)))] + [
    ("Spine", 0, (0, 0.2, 0)), ("Head", 9, (0, 0.4, 0))]


def about_x(angle):
    return q_exp(np.array([angle, 0, 0]))


def leg(hips, thigh_at, toe, yaw):
    """Rotations of thigh, shin and foot that bring a flat foot to a place."""
    foot = q_exp(np.array([0, yaw, 0]))
    way = q_turn(inverse(hips)[1], toe - q_turn(foot, np.array([0, -ANKLE, FOOT])) - (hips[0] + q_turn(hips[1], thigh_at)))
    far = np.linalg.norm(way)
    assert far < THIGH + SHIN, far
    bend = math.pi - math.acos((THIGH**2 + SHIN**2 - far**2) / (2 * THIGH * SHIN))
    lean = math.asin(SHIN * math.sin(bend) / far)
    aside, ahead = math.asin(way[0] / far), math.atan2(-way[2], -way[1])
    thigh = q_mul(q_mul(about_x(ahead), q_exp(np.array([0, 0, aside]))), about_x(-lean))
    shin = about_x(bend)
    return thigh, shin, q_mul(inverse((np.zeros(3), q_mul(q_mul(hips[1], thigh), shin)))[1], foot)


def body(toes, bob, sway, lean=0.0):
    hips = (np.array([sway, HIPS + bob, 0]), NONE)
    rows = [[*hips[0], *hips[1]]]
    for (at, yaw), x in zip(toes, (0.09, -0.09)):
        thigh, shin, foot = leg(hips, np.array([x, -0.03, 0]), at, yaw)
        rows += [[x, -0.03, 0, *thigh], [0, -THIGH, 0, *shin], [0, -SHIN, 0, *foot], [0, -ANKLE, FOOT, *NONE]]
    return rows + [[*JOINTS[9][2], *about_x(lean)], [*JOINTS[10][2], *NONE]]


def tip(s, x, twist, T, duty):
    """The tip of a foot at a share of the cycle from half its contact on: it stands for `duty`, then swings."""
    s = (s + 0.5) % 1 - 0.5
    stand = lambda s: (lambda m: (m[0] + q_turn(m[1], np.array([x, 0, 0.13])), q_log(m[1])[1]))(inverse(exp(twist, s * T)))
    if abs(s) <= duty / 2:
        return stand(s)
    u = ((s - duty / 2) % 1) / (1 - duty)
    (a, turned), (b, turns) = stand(duty / 2), stand(-duty / 2)
    rate = (1 - duty) * (stand(duty / 2)[0] - stand(duty / 2 - 1e-4)[0]) / 1e-4
    ease = u**3 * (10 - 15 * u + 6 * u * u)
    at = a + (b - a) * ease + rate * (u * (1 - u) * (1 - 2 * u))
    return at + [0, 0.1 * 16 * (u * (1 - u)) ** 2, 0], turned + (turns - turned) * ease


def loop(name, T, speed, turn=0.0, duty=0.6, warp=0.0):
    twist = np.array([[0, 0, speed], [0, math.radians(turn), 0]])
    frames, stands = round(T * RATE), speed == 0
    T = frames / RATE
    rows = []
    for key in range(frames + 1):
        s = key / frames
        wave = math.sin(2 * math.pi * s)
        toes = [tip(0 if stands else s - start, x, twist, T, duty) for start, x in ((0, 0.1), (0.5 + warp, -0.1))]
        rows.append(body(toes, -0.02 + 0.01 * math.cos(4 * math.pi * s) * (not stands), 0.02 * wave, 0.06 * math.sin(4 * math.pi * s) * (not stands)))
    events = [{"secs": T * ((at + side * duty / 2) % 1), "foot": foot, "kind": kind} for foot, at in (("left", 0), ("right", 0.5 + warp))
              for kind, side in (("lift", 1), ("strike", -1)) if not stands]
    entry = {"name": name, "kind": "loop", "seconds": T, "frames": frames, "twist": {"linear": list(twist[0]), "angular": list(twist[1])},
             "phase": {"warp": warp, "left": None if stands else 0.0, "right": None if stands else 0.5 + warp},
             "events": sorted(events, key=lambda event: event["secs"])}
    return entry, np.array(rows)


def once(name, kind, rows, way=None, **more):
    """What happens once: its entry, and its rows; `way` is where the root is at each."""
    frames = len(rows) - 1
    root = {"secs": [key / RATE for key in range(frames + 1)], "translation": way or [0.0] * 3 * (frames + 1), "rotation": [0, 0, 0, 1] * (frames + 1)}
    entry = {"name": name, "kind": kind, "seconds": frames / RATE, "frames": frames, "phase": None, "events": [], "turn_deg": 0.0, **more, "root": root}
    return entry, np.array(rows)


def start(idle, walk, seconds=0.8):
    """From the idle into the walk: the mean of both, and the root speeds up."""
    frames = round(seconds * RATE)
    rows, way = [], []
    for key in range(frames + 1):
        u = key / frames
        row = (1 - u) * idle[1][key % 30] + u * walk[1][key % walk[0]["frames"]]
        row[:, 3:] /= np.linalg.norm(row[:, 3:], axis=1, keepdims=True)
        rows.append(row)
        way += [0, 0, walk[0]["twist"]["linear"][2] * seconds * u * u / 2]
    to = {"clip": "walk", "secs": (frames % walk[0]["frames"]) / RATE}
    return once("start", "start", rows, way, **{"from": {"clip": "idle", "secs": 0.0}, "to": to})


def bow(seconds=1.2):
    """An action that begins and ends as the idle does."""
    frames, rows = round(seconds * RATE), []
    for key in range(frames + 1):
        deep = math.sin(math.pi * min(key / frames / 0.8, 1.0)) ** 2
        rows.append(body([(np.array([x, 0, FOOT]), 0.0) for x in (0.1, -0.1)], -0.01 - 0.08 * deep, 0.0, 1.2 * deep))
    after = [{"clip": "idle", "secs": 0.5}, {"clip": "walk", "secs": 0.27}, {"clip": "run", "secs": 0.2}]
    return once("bow", "gesture", rows, leave_secs=0.9, fade_secs=0.5, entry={"clip": "idle", "secs": 0.0}, next=after)


def glb(clips):
    """All clips in one glTF file: hips move and turn, legs turn."""
    nodes = [{"name": name, "translation": place, "children": [at for at, other in enumerate(JOINTS) if other[1] == index]} for index, (name, _, place) in enumerate(JOINTS)]
    nodes = [{key: value for key, value in node.items() if value != []} for node in nodes]
    animations = []
    file = Gltf({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": nodes, "animations": animations, "accessors": [], "bufferViews": []}, [b""])
    for entry, rows in clips:
        times = file.add(np.arange(len(rows)) / RATE, "SCALAR", min=[0.0], max=[(len(rows) - 1) / RATE])
        tracks = [(0, "translation", rows[:, 0, :3], "VEC3")] + [(j, "rotation", rows[:, j, 3:], "VEC4") for j in range(len(JOINTS)) if JOINTS[j][0][-8:] != "ToeBase"]
        samplers = [{"input": times, "output": file.add(values, kind)} for _, _, values, kind in tracks]
        channels = [{"sampler": at, "target": {"node": track[0], "path": track[1]}} for at, track in enumerate(tracks)]
        animations.append({"name": entry["name"], "samplers": samplers, "channels": channels})
    return file


CASES = [
    ("a loop alone whose feet are uneven", "run", []),
    ("walk to run and back", "walk", [[0.3, "at", [2.2, 0]], [1.0, "at", [1.0, 0]]]),
    ("between loops, into a turn", "walk", [[0, "at", [1.4, 0]], [0.7, "at", [1.3, 30]], [1.4, "at", [1.0, 0]]]),
    ("at once from the walk to the run, and again before it has faded", "walk", [[0.4, "play", "run"], [0.6, "play", "walk"]]),
    ("a start that leads to the walk", "idle", [[0.3, "play", "start"]]),
    ("an action instead of the walk, and on", "walk", [[0.33, "play", "bow"]]),
    ("an action over the walk", "walk", [[0.4, "over", "bow"]]),
]


def table(folder):
    made = []
    for what, clip, inputs in CASES:
        hero, shows, left = Player(Set(folder), clip), [], list(inputs)
        for frame in range(121):
            while left and left[0][0] <= frame / 60 + 1e-9:
                _, verb, value = left.pop(0)
                if verb == "play":
                    hero.play(value)
                elif verb == "over":
                    hero.play_over(value)
                else:
                    hero.goal = np.array(value, float)
            if frame % 12 == 0:
                clips = {} if hero.clip else {part[0].entry["name"]: round(part[2], 5) for part in hero.parts(0)}
                places = hero.places()
                shows.append({"secs": round(frame / 60, 4), "root": [*np.round(hero.root[0], 5).tolist(), round(q_log(hero.root[1])[1], 5)],
                              "phase": None if hero.clip else round(hero.phase, 5), "weights": clips,
                              "joints": {name: np.round(places[name], 4).tolist() for name in ("Hips", "LeftToeBase", "RightToeBase", "Head")}})
            hero.update(1 / 60)
        made.append({"case": what, "clip": clip, "inputs": inputs, "shows": shows})
    return made


if __name__ == "__main__":
    folder = Path(__file__).parent
    idle, walk = loop("idle", 1.0, 0.0), loop("walk", 1.0, 1.0, warp=0.03)
    clips = [idle, walk, loop("walk_left", 1.0, 1.0, 60.0, warp=-0.02), loop("run", 0.7, 2.2, duty=0.36, warp=-0.05)]
    clips += [start(idle, walk), bow()]
    for entry, _ in clips:
        entry.update(file="hero.glb", animation=entry["name"])
    points = [("idle", [0, 0]), ("walk", [1.0, 0]), ("walk_left", [1.0, 60.0]), ("run", [2.2, 0])]
    manifest = {"format": "loopwright-set", "version": 1, "name": "cases", "fps": RATE, "in_place": True, "root_joint": None,
                "skeleton": {"joints": 11, "hips": "Hips", "left_foot": "LeftToeBase", "right_foot": "RightToeBase", "carrier": "Hips"},
                "clips": [entry for entry, _ in clips], "transitions": [],
                "blend_spaces": [{"name": "move", "axes": ["speed_mps", "turn_rate_dps"], "points": [{"clip": clip, "at": at} for clip, at in points],
                                  "triangles": [[0, 1, 2], [1, 3, 2]]}]}
    (folder / "set.json").write_text(json.dumps(manifest, separators=(",", ":")) + "\n")
    glb(clips).write(folder / "hero.glb")
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in table(folder))
    (folder / "cases.json").write_text(f"[\n{lines}\n]\n")
