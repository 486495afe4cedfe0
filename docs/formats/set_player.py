"""Plays a set by set.md alone: loops, blend spaces, switches and actions, without holding feet. Needs numpy, and a set of binary glTF files in place.

    python set_player.py hero 1.4 2.0          # where root and joints are after two seconds at each of these speeds
"""
import itertools, json, math, struct, sys
from pathlib import Path
import numpy as np

STEP, FADE = 1 / 240, 0.3  # seconds over which rates at a switch are measured, and of fades that state none
NONE = np.array([0, 0, 0, 1.0])


def q_mul(a, b):  # quaternions as x y z w, alone or in rows
    (ax, ay, az, aw), (bx, by, bz, bw) = np.moveaxis(a, -1, 0), np.moveaxis(b, -1, 0)
    return np.stack([aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
                     aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz], -1)


def q_exp(v):
    angle = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.concatenate([v * 0.5 * np.sinc(angle / 2 / np.pi), np.cos(angle / 2)], -1)


def q_log(q):
    q = q * np.where(q[..., 3:] < 0, -1, 1)
    sine = np.linalg.norm(q[..., :3], axis=-1, keepdims=True)
    return q[..., :3] * np.where(sine < 1e-9, 2, 2 * np.arctan2(sine, q[..., 3:]) / np.maximum(sine, 1e-12))


def q_continued(vector, other):  # of the same rotation, the vector that goes on from another: past half a turn the shorter one points back
    angle = np.linalg.norm(vector, axis=-1, keepdims=True)
    return np.where((angle > math.pi / 2) & ((vector * other).sum(-1, keepdims=True) < 0), 1 - 2 * math.pi / np.maximum(angle, 1), 1) * vector


def q_back(q):  # the inverse
    return q * [-1, -1, -1, 1]


def q_turn(q, v):
    return q_mul(q_mul(q, np.append(v, 0)), q_back(q))[:3]


def then(a, b):  # rigid motions, (place, rotation): a, then b in the axes that a leads to
    return a[0] + q_turn(a[1], b[0]), q_mul(a[1], b[1])


def inverse(a):
    back = q_back(a[1])
    return -q_turn(back, a[0]), back


def exp(twist, secs):  # twist.md; turns about +Y
    (vx, vy, vz), turn = twist[0], twist[1][1] * secs
    ahead, aside = secs * np.sinc(turn / np.pi), secs * turn / 2 * np.sinc(turn / 2 / np.pi) ** 2
    return np.array([vx * ahead + vz * aside, vy * secs, vz * ahead - vx * aside]), q_exp(np.array([0, turn, 0]))


def share(phase, warp):
    return phase + warp * math.sin(math.pi * phase) ** 2


def phase(at, warp):  # the inverse
    low, high = math.floor(at), math.floor(at) + 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if share(middle, warp) <= at else (low, middle)
    return low


def aligned(row, other):  # with the signs by which quaternions are on the side of others
    return np.c_[row[:, :3], row[:, 3:] * np.where((other[:, 3:] * row[:, 3:]).sum(1) < 0, -1, 1)[:, None]]


class Keys:  # rows of joints, each x y z and a quaternion, at even times
    def __init__(self, rows, step, repeats):
        self.step, self.repeats, self.count = step, repeats, len(rows) - (not repeats)
        rows = list(rows)
        rows = rows[-1:] + rows + rows[:2] if repeats else rows
        for index in range(1, len(rows)):
            rows[index] = aligned(rows[index], rows[index - 1])
        beyond = lambda a, b, c: 3 * a - 3 * b + c
        self.rows = np.array(rows if repeats else [beyond(*rows[:3]), *rows, beyond(*rows[:-4:-1])])

    def at(self, secs):  # quaternions not normalized
        time = secs / self.step
        key = math.floor(time) if self.repeats else min(max(math.floor(time), 0), self.count - 1)
        u, first = time - key, key % self.count
        w = 0.5 * np.array([u * (u * (2 - u) - 1), u * u * (3 * u - 5) + 2, u * (u * (4 - 3 * u) + 1), u * u * (u - 1)])
        return np.tensordot(w, self.rows[first : first + 4], 1)


class Clip:
    def __init__(self, entry, rows):
        self.entry, self.loops, self.seconds = entry, entry["kind"] == "loop", entry["seconds"]
        self.warp, step = (entry.get("phase") or {}).get("warp", 0), self.seconds / entry["frames"]
        self.fade = entry.get("fade_secs", FADE)
        if self.fade <= 0:
            raise ValueError(f"the fade_secs of {entry['name']} is {self.fade}, and a positive number is wanted")
        self.body = Keys(rows[: entry["frames"] + (not self.loops)], step, self.loops)
        if self.loops:
            self.twist = np.array([entry["twist"]["linear"], entry["twist"]["angular"]])
        else:
            places, turns = np.reshape(entry["root"]["translation"], (-1, 1, 3)), np.reshape(entry["root"]["rotation"], (-1, 1, 4))
            self.keys = Keys(np.concatenate([places, turns], 2), step, False)

    def root(self, secs):  # of what happens once
        row = self.keys.at(secs)[0]
        return row[:3], row[3:] / np.linalg.norm(row[3:])


def read_glb(path):  # names of joints, their parents, and of each animation the rows at its keys, which all joints share
    data = path.read_bytes()
    (size,) = struct.unpack_from("<I", data, 12)
    gltf, binary, clips = json.loads(data[20 : 20 + size]), data[28 + size :], {}
    nodes = gltf["nodes"]
    rest = [[*node.get("translation", [0, 0, 0]), *node.get("rotation", NONE)] for node in nodes]
    for each in gltf["animations"]:
        count = max(gltf["accessors"][sampler["input"]]["count"] for sampler in each["samplers"])  # still joints have one key
        clips[each["name"]] = rows = np.tile(rest, (count, 1, 1))
        for channel in each["channels"]:
            accessor = gltf["accessors"][each["samplers"][channel["sampler"]]["output"]]
            start = gltf["bufferViews"][accessor["bufferView"]].get("byteOffset", 0) + accessor.get("byteOffset", 0)
            first, last = {"translation": (0, 3), "rotation": (3, 7)}.get(channel["target"]["path"], (0, 0))
            if not last:
                continue
            numbers = np.frombuffer(binary, "<f4", accessor["count"] * (last - first), start)
            rows[:, channel["target"]["node"], first:last] = numbers.reshape(-1, last - first)
    parents = {child: index for index, node in enumerate(nodes) for child in node.get("children", [])}
    return [node.get("name") for node in nodes], [parents.get(index) for index in range(len(nodes))], clips


def extents(space):  # how far the points of a blend space are apart along its axes, and what counts at least
    apart = np.ptp([point["at"] for point in space["points"]], axis=0)
    return apart, np.array([0.5 if axis.endswith("_mps") else 45 for axis in space["axes"]])


class Set:
    def __init__(self, folder):
        self.manifest = json.loads((Path(folder) / "set.json").read_text())
        files = {file: read_glb(Path(folder) / file) for file in {entry["file"] for entry in self.manifest["clips"]}}
        self.names, self.parents, _ = next(iter(files.values()))
        body = self.manifest["skeleton"]
        hips, feet = self.names.index(body["hips"]), [self.names.index(body[side + "_foot"]) for side in ("left", "right") if body.get(side + "_foot")]
        branches = [self.branch(joint, hips) for joint in range(len(self.names))]
        self.upper = [joint for joint, branch in enumerate(branches) if branch is not None and branch not in [branches[foot] for foot in feet]]
        self.clips = {entry["name"]: Clip(entry, files[entry["file"]][2][entry["animation"]]) for entry in self.manifest["clips"]}
        modes = (self.manifest.get("controller") or {}).get("modes", [])
        half_life = next((mode["velocity_half_life_secs"] for mode in modes if mode["mode"] == "all"), None) or 0.4
        self.rate = 2 * math.log(2) / half_life

    def branch(self, joint, hips):  # the joint below the hips through which one hangs from them
        while joint is not None and self.parents[joint] != hips:
            joint = self.parents[joint]
        return joint

    def parts(self, space, at):  # (clip, share, weight) at a point of a blend space, or at the nearest one
        points = np.array([point["at"] for point in space["points"]], float)
        extent, least = extents(space)
        scale, simplices = np.maximum(extent, least), space.get("triangles")
        if not simplices:
            axis = np.argmax(extent / least)
            scale = np.where(np.arange(len(least)) == axis, scale, math.inf)
            simplices = list(itertools.pairwise(np.argsort(points[:, axis]))) or [[0, 0]]
        at, points, best = at / scale, points / scale, (math.inf, None)
        for corners in simplices:
            if len(corners) == 3:
                a, b, c = points[list(corners)]
                second, third = np.linalg.solve(np.c_[b - a, c - a], at - a)
                if min(second, third, 1 - second - third) >= 0:
                    best = 0, zip(corners, (1 - second - third, second, third))
                    break
            for i, j in itertools.combinations(corners, 2):
                way, off = points[j] - points[i], at - points[i]
                u = float(np.clip(way @ off / max(way @ way, 1e-12), 0, 1))
                if (distance := np.linalg.norm(off - u * way)) < best[0]:
                    best = distance, ((i, 1 - u), (j, u))
        kept = [(self.clips[space["points"][index]["clip"]], s) for index, s in best[1] if s > 1e-4]
        whole, poses = sum(s for _, s in kept), sum(s / clip.seconds for clip, s in kept)
        return [(clip, s / whole, s / clip.seconds / poses) for clip, s in kept]


def clock(parts):  # the warp and the period of a mean of loops
    T = sum(w * clip.seconds for clip, _, w in parts)
    d = [clip.seconds * clip.twist[0] for clip, _, _ in parts]
    D = sum(w * each for (_, _, w), each in zip(parts, d))
    far = sum(w * np.linalg.norm(each) for (_, _, w), each in zip(parts, d))
    mu = 0.1 * (far**2 - D @ D) + (0.01 * T) ** 2
    C = sum(w * (D @ each + mu * clip.seconds / T) / (D @ D + mu) * clip.warp for (clip, _, w), each in zip(parts, d))
    return float(np.clip(C, -0.3, 0.3)), T


class Player:
    def __init__(self, motion, clip):
        self.set, self.root, self.fading, self.faded, self.phase, self.over = motion, (np.zeros(3), NONE), None, math.inf, 0.0, None
        self.lasts = FADE
        self.enter(motion.clips[clip])

    def enter(self, clip):
        self.clip, self.secs = None if clip.loops else clip, 0.0  # what happens once, if that plays
        if clip.loops:
            spaces = self.set.manifest["blend_spaces"]
            self.space, point = next((s, p) for s in spaces for p in s["points"] if p["clip"] == clip.entry["name"])
            self.at = self.goal = np.array(point["at"], float)
            self.rate = np.zeros(len(self.at))

    def parts(self, secs):
        return self.set.parts(self.space, self.at + self.rate * secs)

    def later(self, secs):  # of what happens once
        return min(self.secs + secs, self.clip.seconds + STEP)

    def root_step(self, secs):
        if self.clip:
            return then(inverse(self.clip.root(self.secs)), self.clip.root(self.later(secs)))
        return exp(sum(s * clip.twist for clip, s, _ in self.parts(secs / 2)), secs)

    def source(self, secs):  # the body some seconds from now, without what fades
        if self.clip:
            body = self.clip.body.at(self.later(secs))
        else:
            parts, body = self.parts(secs), 0
            warp, T = clock(parts)
            p = phase(share(self.phase, warp) + secs / T, warp) if secs else self.phase
            for clip, _, w in parts:
                own = w * clip.body.at(share(p, clip.warp) * clip.seconds)
                body = body + (aligned(own, body) if np.ndim(body) else own)
        if self.over:
            body[self.set.upper] = self.over[0].body.at(self.over[1] + secs)[self.set.upper]
        body[:, 3:] /= np.linalg.norm(body[:, 3:], axis=1, keepdims=True)
        return body

    def pose(self, secs=0.0):
        body, t = self.source(secs), self.faded + secs
        if (u := t / self.lasts) < 1:
            quintic = (1 - u) ** 3 * np.array([1 + 3 * u + 6 * u * u, t * (1 + 3 * u), 0.5 * t * t])
            cubic = np.array([(1 - u) ** 2 * (1 + 2 * u), max(1 - t / min(self.lasts, FADE), 0) ** 2 * t, 0])
            offset = np.tensordot(cubic if self.is_cubic else quintic, self.fading[0], 1)
            body = np.c_[body[:, :3] + offset[:, :3], q_mul(q_exp(offset[:, 3:]), body[:, 3:])]
        return body

    def root_rate(self):
        place, turn = then(inverse(self.root_step(-STEP)), self.root_step(STEP))
        return np.array([place, q_log(turn)]) / (2 * STEP)

    def play(self, name):  # at once
        clip = self.set.clips[name]
        self.go_on(lambda: self.enter(clip), clip if "leave_secs" in clip.entry else None)

    def play_over(self, name):  # the upper body alone; None ends it
        clip = self.set.clips[name] if name else self.over[0]
        self.go_on(lambda: setattr(self, "over", name and [clip, 0.0]), clip)

    def go_on(self, change, action=None):  # whose fade it is, or a quintic
        left = max(1 - self.faded / min(self.lasts, FADE), 0)
        rate = self.root_rate() + (self.fading[1] * left**2 * (3 - 2 * left if self.is_cubic else left * (10 - 15 * left + 6 * left**2)) if left else 0)
        seen = [self.pose(secs) for secs in (-STEP, 0, STEP)]
        change()
        follows = [self.source(secs) for secs in (-STEP, 0, STEP)]
        before, here, after = (np.c_[a[:, :3] - b[:, :3], q_log(q_mul(a[:, 3:], q_back(b[:, 3:])))] for a, b in zip(seen, follows))
        before[:, 3:], after[:, 3:] = (q_continued(each[:, 3:], here[:, 3:]) for each in (before, after))
        terms = np.array([here, (after - before) / (2 * STEP), (after + before - 2 * here) / STEP**2])
        self.fading, self.faded, self.is_cubic = (terms, rate - self.root_rate()), 0.0, action is not None
        self.lasts = action.fade if action else FADE

    def update(self, secs):
        if self.over and (rest := self.over[0].entry["leave_secs"] - self.over[1]) <= secs:
            self.advance(rest)
            self.play_over(None)
            secs -= rest
        if self.clip and (rest := self.end() - self.secs) <= secs:
            self.advance(rest)
            self.leave()
            secs -= rest
        self.advance(secs)

    def end(self):  # of what happens once: an action is left early for what moves, and not at all if no loop follows
        entry = self.clip.entry
        if "leave_secs" not in entry:
            return self.clip.seconds
        return math.inf if not self.next() else entry["leave_secs"] if np.any(np.abs(self.goal) >= 0.05) else self.clip.seconds

    def next(self):
        return [to for to in self.clip.entry.get("next", []) if self.set.clips[to["clip"]].loops]

    def leave(self):  # for the loop it leads to; after an action for the goal, in the state of the loop that is nearest to it
        entry, goal, at = self.clip.entry, self.goal, {point["clip"]: point["at"] for point in self.space["points"]}
        scale = np.maximum(*extents(self.space))
        is_still = not np.any(np.abs(goal) >= 0.05)
        fits = [to for to in self.next() if to["clip"] in at and is_still == (not np.any(self.set.clips[to["clip"]].twist))]
        to = entry.get("to") or min(fits, key=lambda to: np.linalg.norm((at[to["clip"]] - goal) / scale), default=(self.next() or [None])[0])
        clip = self.set.clips[to["clip"]]
        self.phase = phase(to["secs"] / clip.seconds, clip.warp)
        if "next" in entry:
            left = self.clip
            self.go_on(lambda: (self.enter(clip), setattr(self, "at", goal.copy()), setattr(self, "goal", goal.copy())), left)
        else:
            self.play(to["clip"])

    def advance(self, secs):
        half = (np.zeros(3), NONE)
        if self.faded < (lasts := min(self.lasts, FADE)):  # the area under the fade of rates
            area = lambda u: lasts * (u - u**3 + u**4 / 2 if self.is_cubic else u - 2.5 * u**4 + 3 * u**5 - u**6)
            half = exp(self.fading[1], 0.5 * (area(min((self.faded + secs) / lasts, 1)) - area(self.faded / lasts)))
        self.root = then(then(then(self.root, half), self.root_step(secs)), half)
        if self.over:
            self.over[1] += secs
        if self.clip:
            self.secs = self.later(secs)
        else:
            warp, T = clock(self.parts(secs / 2))
            self.phase = phase(share(self.phase, warp) + secs / T, warp) % 1
            x, y = self.at - self.goal, self.set.rate
            j, left = self.rate + y * x, math.exp(-y * secs)
            self.at, self.rate = self.goal + (x + j * secs) * left, (self.rate - y * j * secs) * left
        self.faded += secs

    def places(self):  # of all joints, seen from the root
        body, parents = self.pose(), self.set.parents

        def at(joint):
            own = body[joint][:3], body[joint][3:]
            return own if parents[joint] is None else then(at(parents[joint]), own)

        return {name: at(joint)[0] for joint, name in enumerate(self.set.names)}


if __name__ == "__main__":
    motion = Set(sys.argv[1])
    player = Player(motion, next(name for name, clip in motion.clips.items() if clip.loops))
    for goal in map(float, sys.argv[2:]):
        player.goal = np.array([goal, *[0] * (len(player.at) - 1)])
        for _ in range(120):
            player.update(1 / 60)
        print(goal, *np.round(player.root[0], 3), {name: np.round(at, 3).tolist() for name, at in player.places().items()})
