# Motion in Python with numpy: quaternions, bodies, forward kinematics, and BVH. Shares no code with loopwright.
#
# Lengths are in metres, +Y is up, rotations are quaternions (w, x, y, z). "Root" is the point on the floor below the hips, turned
# the way that the hips face.

import numpy as np


# Quaternions and the floor.


def mul(p, q):
    pw, px, py, pz = np.moveaxis(p, -1, 0)
    qw, qx, qy, qz = np.moveaxis(q, -1, 0)
    return np.stack(
        [
            pw * qw - px * qx - py * qy - pz * qz,
            pw * qx + px * qw + py * qz - pz * qy,
            pw * qy - px * qz + py * qw + pz * qx,
            pw * qz + px * qy - py * qx + pz * qw,
        ],
        axis=-1,
    )


def inverse(q):
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def turn(q, v):
    return v + 2.0 * np.cross(q[..., 1:], np.cross(q[..., 1:], v) + q[..., :1] * v)


def from_vector(v):
    angle = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.concatenate([np.cos(angle / 2), 0.5 * np.sinc(angle / (2 * np.pi)) * v], axis=-1)


def to_vector(q):
    q = np.where(q[..., :1] < 0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    return q[..., 1:] * np.where(sine > 1e-12, 2 * np.arctan2(sine, q[..., :1]) / np.maximum(sine, 1e-12), 2.0)


def about_y(angle):
    return from_vector(np.multiply.outer(angle, [0.0, 1.0, 0.0]))


# A take.


class Body:
    """Joints from the hips down, parents first. End sites count as joints, since toes end in one."""

    def __init__(self, names, parents):
        self.names, self.parents = names, parents
        self.legs = [self.leg(side) for side in (["leftfoot", "leftankle", "foot_l", "foot.l", "lankle"], ["rightfoot", "rightankle", "foot_r", "foot.r", "rankle"])]

    def leg(self, ankles):
        ankle = next(j for j, name in enumerate(self.names) if name.lower() in ankles)
        knee = self.parents[ankle]
        below = lambda joint: next((j for j, parent in enumerate(self.parents) if parent == joint), None)
        front = below(ankle)
        has_toes = not self.names[front].endswith(" end")
        ball, tip = (front, below(front)) if has_toes else (None, front)
        return {"thigh": self.parents[knee], "knee": knee, "ankle": ankle, "front": front, "ball": ball, "tip": tip}


class Motion:
    """Local rotations and positions of a body; those of the hips are in the world."""

    def __init__(self, body, dt, positions, rotations):
        self.body, self.dt, self.positions, self.rotations = body, dt, positions, rotations
        self.places, self.turns = world(body.parents, positions, rotations)
        left, right = (self.places[:, leg["thigh"]] for leg in body.legs)
        self.middle = 0.5 * (left + right) * [1.0, 0.0, 1.0]
        across = left - right
        self.yaw = np.unwrap(np.arctan2(-across[:, 2], across[:, 0]))

    def __len__(self):
        return len(self.places)

    def seen_from_root(self):
        return turn(about_y(-self.yaw)[:, None], self.places - self.middle[:, None])


def world(parents, positions, rotations):
    """Where joints are in the world, and how they are turned."""
    places, turns = positions.copy(), rotations.copy()
    for joint, parent in enumerate(parents):
        if parent >= 0:
            places[:, joint] = places[:, parent] + turn(turns[:, parent], positions[:, joint])
            turns[:, joint] = mul(turns[:, parent], rotations[:, joint])
    return places, turns


def read(path, unit, up):
    return from_the_hips(*parsed(path, unit), up)


def parsed(path, unit):
    """Names, parents, frame time, local positions and rotations of all joints of a file."""
    text = open(path, encoding="utf-8", errors="replace").read().split()
    names, parents, offsets, channels, stack = [], [], [], [], []
    at = 0
    while text[at].upper() != "MOTION":
        word = text[at].upper()
        if word in ("ROOT", "JOINT", "END"):
            names.append(text[at + 1] if word != "END" else names[stack[-1]] + " end")
            parents.append(stack[-1] if stack else -1)
            offsets.append([0.0] * 3)
            channels.append([])
            at += 1
        elif word == "{":
            stack.append(len(names) - 1)
        elif word == "}":
            stack.pop()
        elif word == "OFFSET":
            offsets[stack[-1]] = [float(value) for value in text[at + 1 : at + 4]]
            at += 3
        elif word == "CHANNELS":
            count = int(text[at + 1])
            channels[stack[-1]] = [name.upper() for name in text[at + 2 : at + 2 + count]]
            at += 1 + count
        at += 1
    frame_time = next(i for i in range(at, at + 12) if text[i].upper() == "TIME:")
    dt = float(text[frame_time + 1])
    width = sum(map(len, channels))
    values = np.array(text[frame_time + 2 :], dtype=float)
    values = values[: len(values) // width * width].reshape(-1, width)
    positions = np.repeat(unit * np.array(offsets)[None], len(values), axis=0)
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (len(values), len(names), 1))
    column = 0
    for joint, of_joint in enumerate(channels):
        for channel in of_joint:
            axis = "XYZ".index(channel[0])
            if channel.endswith("POSITION"):
                positions[:, joint, axis] = unit * values[:, column]
            else:
                vector = np.zeros((len(values), 3))
                vector[:, axis] = np.radians(values[:, column])
                rotations[:, joint] = mul(rotations[:, joint], from_vector(vector))
            column += 1
    return names, parents, dt, positions, rotations


def write(path, head, dt, values):
    """Writes the channels (frames, channels) of a file with this hierarchy."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{head}MOTION\nFrames: {len(values)}\nFrame Time: {dt}\n")
        np.savetxt(file, values, fmt="%.5f")


def from_the_hips(names, parents, dt, positions, rotations, up):
    """The same motion with the joint that both legs hang from as its root, +Y up."""
    whole = Body(names, parents)

    def above(joint):
        return [] if joint < 0 else above(parents[joint]) + [joint]

    left, right = (above(leg["thigh"]) for leg in whole.legs)
    hips = [joint for joint in left if joint in right][-1]
    kept = [joint for joint in range(len(names)) if hips in above(joint)]
    motion = Motion(whole, dt, positions, rotations)
    positions[:, hips], rotations[:, hips] = motion.places[:, hips], motion.turns[:, hips]
    if up == "Z":
        upright = from_vector(np.array([-np.pi / 2, 0.0, 0.0]))
        positions[:, hips] = turn(upright, positions[:, hips])
        rotations[:, hips] = mul(upright, rotations[:, hips])
    body = Body([names[j] for j in kept], [kept.index(parents[j]) if j != hips else -1 for j in kept])
    return Motion(body, dt, positions[:, kept], rotations[:, kept])
