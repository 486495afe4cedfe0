"""Plays a set by set.md alone: loops, blend spaces and switches, without holding feet. Needs numpy, and a set of binary glTF files.

    python set_player.py hero 2.0          # where the root and the joints are after two seconds at each goal
"""
import itertools, json, math, struct, sys
from pathlib import Path
import numpy as np

STEP = 1 / 240  # seconds over which rates at a switch are measured


def q_mul(a, b):
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


def q_turn(q, v):
    return q_mul(q_mul(q, np.append(v, 0)), q * [-1, -1, -1, 1])[:3]


def then(a, b):  # rigid motions (x, q): a, then b in the axes that a leads to
    return a[0] + q_turn(a[1], b[0]), q_mul(a[1], b[1])


def inverse(a):
    back = a[1] * [-1, -1, -1, 1]
    return -q_turn(back, a[0]), back


def exp(twist, secs):  # docs/formats/twist.md; turns about +Y
    (vx, vy, vz), turn = twist[0], twist[1][1] * secs
    ahead, aside = secs * np.sinc(turn / np.pi), secs * turn / 2 * np.sinc(turn / 2 / np.pi) ** 2
    return np.array([vx * ahead + vz * aside, vy * secs, vz * ahead - vx * aside]), q_exp(np.array([0, turn, 0]))


def share(phase, warp):
    return phase + warp * math.sin(math.pi * phase) ** 2


def phase(at, warp):
    low, high = math.floor(at), math.floor(at) + 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if share(middle, warp) <= at else (low, middle)
    return low


class Keys:  # rows of joints, each x y z and a quaternion, at even times
    def __init__(self, rows, step, repeats):
        rows = np.array(rows)
        self.step, self.repeats, self.count = step, repeats, len(rows) - (not repeats)
        beyond = lambda a, b, c: 3 * a - 3 * b + c
        if repeats:
            rows = np.concatenate([rows[-1:], rows, rows[:2]])
        for before, row in zip(rows, rows[1:]):
            row[:, 3:] *= np.where((before[:, 3:] * row[:, 3:]).sum(1) < 0, -1, 1)[:, None]
        self.rows = rows if repeats else np.concatenate([[beyond(*rows[:3])], rows, [beyond(*rows[:-4:-1])]])

    def at(self, secs):  # not normalized
        time = secs / self.step
        key = math.floor(time) if self.repeats else min(max(math.floor(time), 0), self.count - 1)
        u, first = time - key, key % self.count
        w = 0.5 * np.array([u * (u * (2 - u) - 1), u * u * (3 * u - 5) + 2, u * (u * (4 - 3 * u) + 1), u * u * (u - 1)])
        return np.tensordot(w, self.rows[first : first + 4], 1)


class Clip:
    def __init__(self, entry, rows):
        self.entry, self.loops, self.seconds = entry, entry["kind"] == "loop", entry["seconds"]
        step = self.seconds / entry["frames"]
        self.warp = (entry.get("phase") or {}).get("warp", 0)
        self.twist = np.array([entry["twist"]["linear"], entry["twist"]["angular"]]) if self.loops else None
        if not self.loops:
            root = entry["root"]
            self.keys = Keys(np.c_[np.reshape(root["translation"], (-1, 3)), np.reshape(root["rotation"], (-1, 4))][:, None], step, False)
        self.body = Keys(rows[: entry["frames"] + (not self.loops)], step, self.loops)

    def root(self, secs):
        if self.loops:
            return exp(self.twist, secs)
        row = self.keys.at(secs)[0]
        return row[:3], row[3:] / np.linalg.norm(row[3:])


def read_glb(path):  # joint names, parents, and the rows of each animation at its keys, which all joints share
    data = path.read_bytes()
    (size,) = struct.unpack_from("<I", data, 12)
    gltf, binary = json.loads(data[20 : 20 + size]), data[28 + size :]

    def values(index, wide):
        accessor = gltf["accessors"][index]
        start = gltf["bufferViews"][accessor["bufferView"]].get("byteOffset", 0) + accessor.get("byteOffset", 0)
        return np.frombuffer(binary, "<f4", accessor["count"] * wide, start).reshape(-1, wide)

    nodes, clips = gltf["nodes"], {}
    parents = {child: index for index, node in enumerate(nodes) for child in node.get("children", [])}
    rest = [[*node.get("translation", [0, 0, 0]), *node.get("rotation", [0, 0, 0, 1])] for node in nodes]
    for each in gltf["animations"]:
        count = gltf["accessors"][each["samplers"][0]["input"]]["count"]
        rows = np.tile(np.array(rest, float), (count, 1, 1))
        for channel in each["channels"]:
            target, output = channel["target"], each["samplers"][channel["sampler"]]["output"]
            first, last = {"translation": (0, 3), "rotation": (3, 7)}[target["path"]]
            rows[:, target["node"], first:last] = values(output, last - first)
        clips[each["name"]] = rows
    return [node.get("name") for node in nodes], [parents.get(index) for index in range(len(nodes))], clips


class Set:
    def __init__(self, folder):
        folder = Path(folder)
        self.manifest = json.loads((folder / "set.json").read_text())
        assert self.manifest["in_place"], "this player leaves undoing the root motion to others"
        files = {entry["file"]: read_glb(folder / entry["file"]) for entry in self.manifest["clips"]}
        self.names, self.parents = next(iter(files.values()))[:2]
        self.clips = {entry["name"]: Clip(entry, files[entry["file"]][2][entry["animation"]]) for entry in self.manifest["clips"]}
        modes = (self.manifest.get("controller") or {}).get("modes", [])
        half_lives = [mode["velocity_half_life_secs"] for mode in modes if mode["mode"] == "all"]
        self.rate = 2 * math.log(2) / ((half_lives and half_lives[0]) or 0.4)

    def weights(self, space, at):  # (clip, share) of the simplex at a point, or at the nearest one
        points = np.array([point["at"] for point in space["points"]], float)
        least = [0.5 if axis.endswith("_mps") else 45 for axis in space["axes"]]
        scale, count = np.maximum(np.ptp(points, axis=0), least), len(points)
        at, scaled, best = at / scale, points / scale, (math.inf, None)
        axis = np.argmax(np.ptp(points, axis=0) / least)
        line = np.argsort(points[:, axis])
        if not space.get("triangles"):
            at, scaled = at * (np.arange(len(at)) == axis), scaled * (np.arange(len(at)) == axis)
        simplices = space.get("triangles") or ([line[i : i + 2] for i in range(count - 1)] if count > 1 else [[0]])
        for corners in map(list, simplices):
            if len(corners) == 3:
                a, b, c = scaled[corners]
                second, third = np.linalg.solve(np.c_[b - a, c - a], at - a)
                if min(second, third, 1 - second - third) >= 0:
                    return self.parts(space, corners, [1 - second - third, second, third])
            for i, j in itertools.combinations(corners, 2) if len(corners) > 1 else [(0, 0)]:
                way, off = scaled[j] - scaled[i], at - scaled[i]
                u = float(np.clip(way @ off / max(way @ way, 1e-12), 0, 1))
                if (distance := np.linalg.norm(off - u * way)) < best[0]:
                    best = distance, ([i, j], [1 - u, u])
        return self.parts(space, *best[1])

    def parts(self, space, corners, shares):
        kept = [(self.clips[space["points"][index]["clip"]], s) for index, s in zip(corners, shares) if s > 1e-4]
        whole, poses = sum(s for _, s in kept), sum(s / clip.seconds for clip, s in kept)
        return [(clip, s / whole, s / clip.seconds / poses) for clip, s in kept]


def clock(parts):  # the warp and the period of a mean of loops
    T = sum(w * clip.seconds for clip, _, w in parts)
    d = [clip.seconds * clip.twist[0] for clip, _, _ in parts]
    D = sum(w * each for (_, _, w), each in zip(parts, d))
    far = sum(w * np.linalg.norm(each) for (_, _, w), each in zip(parts, d))
    mu = 0.1 * (far**2 - D @ D) + (0.01 * T) ** 2
    u = [w * (D @ each + mu * clip.seconds / T) / (D @ D + mu) for (clip, _, w), each in zip(parts, d)]
    return float(np.clip(sum(each * clip.warp for each, (clip, _, _) in zip(u, parts)), -0.3, 0.3)), T


class Player:
    def __init__(self, motion, clip):
        self.set, self.root, self.rate = motion, (np.zeros(3), np.array([0, 0, 0, 1.0])), np.zeros(2)
        self.fading, self.faded = None, math.inf
        self.enter(motion.clips[clip], 0.0)

    def enter(self, clip, phase):
        self.clip, self.phase, self.secs = None if clip.loops else clip, phase, 0.0
        if clip.loops:
            spaces = self.set.manifest["blend_spaces"]
            self.space, point = next((s, p) for s in spaces for p in s["points"] if p["clip"] == clip.entry["name"])
            self.at = self.goal = np.array(point["at"], float)
            self.rate = np.zeros(len(self.at))

    def parts(self, secs):
        return self.set.weights(self.space, self.at + self.rate * secs)

    def root_step(self, secs):
        if self.clip:
            return then(inverse(self.clip.root(self.secs)), self.clip.root(self.secs + secs))
        return exp(sum(s * clip.twist for clip, s, _ in self.parts(secs / 2)), secs)

    def source(self, secs):  # the body, without what fades
        if self.clip:
            body = self.clip.body.at(self.secs + secs)
        else:
            parts = self.parts(secs)
            warp, T = clock(parts)
            p = phase(share(self.phase, warp) + secs / T, warp) if secs else self.phase
            body = 0
            for clip, _, w in parts:
                own = w * clip.body.at(share(p, clip.warp) * clip.seconds)
                if np.ndim(body):
                    own[:, 3:] *= np.where((body[:, 3:] * own[:, 3:]).sum(1) < 0, -1, 1)[:, None]
                body = body + own
        body[:, 3:] /= np.linalg.norm(body[:, 3:], axis=1, keepdims=True)
        return body

    def pose(self, secs=0.0):
        body, u = self.source(secs), (self.faded + secs) / 0.3
        if u < 1:
            left = (1 - u) ** 3 * np.array([1 + 3 * u + 6 * u * u, 0.3 * u * (1 + 3 * u), 0.5 * (0.3 * u) ** 2])
            offset = np.tensordot(left, self.fading[0], 1)
            body = np.c_[body[:, :3] + offset[:, :3], q_mul(q_exp(offset[:, 3:]), body[:, 3:])]
        return body

    def root_rate(self):  # and what fades of it
        step = then(inverse(self.root_step(-STEP)), self.root_step(STEP))
        left = 1 - min(self.faded / 0.3, 1)
        own = np.array([step[0], q_log(step[1])]) / (2 * STEP)
        return own, own + (self.fading[1] * left**3 * (10 - 15 * left + 6 * left**2) if self.fading else 0)

    def play(self, name):  # at once, with a fade of 0.3 s
        seen, rate = [self.pose(secs) for secs in (-STEP, 0, STEP)], self.root_rate()[1]
        self.enter(self.set.clips[name], self.phase)
        next_ = [self.source(secs) for secs in (-STEP, 0, STEP)]
        turned = lambda a, b: q_log(q_mul(a[:, 3:], b[:, 3:] * [-1, -1, -1, 1]))
        before, here, after = [np.c_[a[:, :3] - b[:, :3], turned(a, b)] for a, b in zip(seen, next_)]
        terms = np.array([here, (after - before) / (2 * STEP), (after + before - 2 * here) / STEP**2])
        self.fading, self.faded = (terms, rate - self.root_rate()[0]), 0.0

    def update(self, secs):
        if self.clip and self.clip.seconds - self.secs <= secs:
            to, rest = self.clip.entry["to"], self.clip.seconds - self.secs
            self.advance(rest)
            clip = self.set.clips[to["clip"]]
            self.phase = phase(to["secs"] / clip.seconds, clip.warp)
            self.play(to["clip"])
            secs -= rest
        self.advance(secs)

    def advance(self, secs):
        half = (np.zeros(3), np.array([0, 0, 0, 1.0]))
        if self.faded < 0.3:  # the rate of the root fades as values do: the area under the fade
            area = lambda u: 0.3 * (u - 2.5 * u**4 + 3 * u**5 - u**6)
            half = exp(self.fading[1], 0.5 * (area(min((self.faded + secs) / 0.3, 1)) - area(self.faded / 0.3)))
        self.root = then(then(then(self.root, half), self.root_step(secs)), half)
        if self.clip:
            self.secs += secs
        else:
            warp, T = clock(self.parts(secs / 2))
            self.phase = phase(share(self.phase, warp) + secs / T, warp) % 1
            y = self.set.rate
            x, fade = self.at - self.goal, math.exp(-y * secs)
            v = self.rate + y * x
            self.at, self.rate = self.goal + (x + v * secs) * fade, (self.rate - y * v * secs) * fade
        self.faded += secs

    def places(self):  # of all joints, seen from the root
        found = []
        for row, parent in zip(self.pose(), self.set.parents):
            own = (row[:3], row[3:])
            found.append(own if parent is None else then(found[parent], own))
        return {name: place[0] for name, place in zip(self.set.names, found)}


if __name__ == "__main__":
    player = Player(Set(sys.argv[1]), next(name for name, clip in Set(sys.argv[1]).clips.items() if clip.loops))
    for goal in map(float, sys.argv[2:]):
        player.goal = np.array([goal, *[0] * (len(player.at) - 1)])
        for _ in range(120):
            player.update(1 / 60)
        print(goal, *np.round(player.root[0], 3), {name: np.round(at, 3).tolist() for name, at in player.places().items()})
