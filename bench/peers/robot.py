"""Plays a robot's loop in MuJoCo and judges it, by nothing but the robot's MJCF and the file of the loop.

    python3 bench/peers/robot.py biped.xml cycle.csv

The file is Unitree's CSV of one cycle with its closing row, at 30 frames a second. Needs mujoco==4.0.0 and numpy. Fails where a joint leaves its limits, where contact points
slide by more than .6 cm/s or stand off the floor by more than 3 mm in the median, or where the seam is sharper than 1.1 times the sharpest inside.
"""

import sys

import mujoco
import numpy as np

FPS, SECONDS = 30.0, 60.0

mjcf, csv = sys.argv[1:]
model = mujoco.MjModel.from_xml_path(mjcf)
data = mujoco.MjData(model)
rows = np.loadtxt(csv, delimiter=",")
count = len(rows) - 1


def matrix(row):
    out = np.empty(9)
    mujoco.mju_quat2Mat(out, row[[6, 3, 4, 5]])
    base = np.eye(4)
    base[:3, :3], base[:3, 3] = out.reshape(3, 3), row[:3]
    return base


bases = np.array([matrix(row) for row in rows])
cycle = bases[-1] @ np.linalg.inv(bases[0])
num_cycles = int(np.ceil(SECONDS * FPS / count))
worlds = np.concatenate([np.linalg.matrix_power(cycle, rounds) @ bases[:-1] for rounds in range(num_cycles)])
angles = np.tile(rows[:-1, 7:], (num_cycles, 1))

feet = [geom for geom in range(model.ngeom) if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_SPHERE]
points = []
for base, angle in zip(worlds, angles):
    quat = np.empty(4)
    mujoco.mju_mat2Quat(quat, base[:3, :3].ravel())
    data.qpos[:3], data.qpos[3:7], data.qpos[7:] = base[:3, 3], quat, angle
    mujoco.mj_kinematics(model, data)
    points.append(data.geom_xpos[feet] - [[0, 0, model.geom_size[geom][0]] for geom in feet])
points = np.array(points)

limits = model.jnt_range[1:]
beyond = np.maximum(limits[:, 0] - angles, angles - limits[:, 1]).max()
touches = (points[1:, :, 2] < 0.004) & (points[:-1, :, 2] < 0.004)
ways = np.linalg.norm(np.diff(points[:, :, :2], axis=0), axis=2) * FPS * 100
slide, height = np.median(ways[touches]), 1e3 * np.median(np.abs(points[1:, :, 2][touches]))
deepest = -1e3 * points[:, :, 2].min()


def seam(values, order):
    sizes = np.abs(np.diff(values, order, axis=0)).reshape(len(values) - order, -1).max(axis=1)
    is_seam = (np.arange(len(sizes)) % count) >= count - order
    return sizes[is_seam].max() / sizes[~is_seam].max()


local = (np.linalg.inv(worlds[:-1]) @ worlds[1:])[:, :3]
ratios = {
    "joint speed": seam(angles, 1),
    "joint acceleration": seam(angles, 2),
    "base acceleration": seam(local, 1),
}
print(f"{len(worlds) / FPS:.0f} s, {num_cycles} cycles of {count} rows; {int(touches.sum())} touching points")
print(f"beyond limits {np.degrees(max(beyond, 0)):.4f} deg, slide {slide:.2f} cm/s, height {height:.2f} mm, deepest {deepest:.1f} mm")
print(", ".join(f"seam / inside of {name} {ratio:.2f}" for name, ratio in ratios.items()))
if not (beyond <= 1e-6 and slide <= 0.6 and height <= 3.0 and max(ratios.values()) <= 1.1 and touches.any()):
    sys.exit("error: not as stated")
