"""Motion from and to what others use: arrays of NPZ files, pybvh, AMASS and Kimodo.

    from loopwright import bridges

    bvh = bridges.to_pybvh(take)
    take = bridges.from_amass("walk_poses.npz", skeleton)

Both ways keep joints within a micrometre, and a millionth of a turn; where arrays are in single precision, as in NPZ files and those of
Kimodo, within that. Plain dictionaries are `take.to_dict()` and `Take.from_dict(...)`.
"""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._bodies import body
from ._c3d import Markers, parsed
from ._errors import ArrayError, ReadError, package
from ._loop import Loop
from ._poses import check_keys, numbers, positive
from ._rotations import from_axis_angles, from_matrices, inverse, product, rotate, to_axis_angles, rotations_of, to_matrices, upright
from ._settings import bytes_of, path_of
from ._take import Take, of_world, read

__all__ = [
    "Markers",
    "body",
    "from_amass",
    "from_c3d",
    "from_kimodo",
    "from_npz",
    "from_pybvh",
    "to_amass",
    "to_kimodo",
    "to_npz",
    "to_pybvh",
]

PathLike = str | os.PathLike[str]
SkeletonLike = Take | Loop | Sequence[Any]

# Farthest that a joint may slide in its parent, metres, where only rotations are kept.
_STILL = 1e-6
# The joints of Kimodo that are written, and its frames per second (docs/formats/npz.md).
_KIMODO = body("kimodo30")[0]
_KIMODO_FPS = 30.0

# Keys that are read of files.
_KEYS = ("poses", "trans", "mocap_framerate", "mocap_frame_rate", "posed_joints", "global_rot_mats")


def to_npz(motion: Take | Loop) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of the NPZ file that `loopwright convert` writes (docs/formats/npz.md): `numpy.savez(path, **to_npz(take))`."""
    return _motion(motion).arrays()


def from_npz(data: Mapping[str, Any] | PathLike, *, name: str = "take") -> Take:
    """The take in such arrays, or in those of Kimodo, or in a file of either. Raises ArrayError or ReadError.

    >>> from_npz(to_npz(walk)).num_frames
    481
    """
    if not isinstance(data, Mapping):
        return read(path_of("data", data))
    arrays = {str(key): np.asarray(value) for key, value in data.items()}
    for key, array in arrays.items():
        if array.dtype.kind not in "fiubU":
            raise ArrayError(f"{key}: expected numbers or texts, found {array.dtype}")
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    try:
        return read(buffer.getvalue(), name=name)
    except ReadError as error:
        raise ArrayError(f"data: {error.what}", error.details, error.hint) from error


def to_pybvh(motion: Take | Loop, *, unit: float = 0.01, order: str = "ZXY") -> Any:
    """A `pybvh.Bvh` with lengths in units of so many metres, by default centimetres, and +Y up.

    `order` is that of the Euler angles of all joints. Raises ArrayError where a joint slides in its parent, which pybvh has no place for.
    """
    pybvh, nodes_of = package("pybvh", "pybvh"), package("pybvh.bvhnode", "pybvh")
    still = _still(_motion(motion), "pybvh")
    scale = 1 / positive("unit", unit)
    if sorted(str(order)) != ["X", "Y", "Z"]:
        raise ArrayError(f"order: expected X, Y and Z in some order, found {order!r:.60}")
    joints: list[Any] = []
    children = [np.flatnonzero(still.parents == joint) for joint in range(still.num_joints)]
    for joint, name in enumerate(still.names):
        offset = still.offsets[joint] * scale
        above = joints[still.parents[joint]] if joint else None
        made = nodes_of.BvhRoot(name, offset, "XYZ", order) if above is None else nodes_of.BvhJoint(name, offset, order, [], above)
        if above is not None:
            above.children = [*above.children, made]
        joints.append(made)
    nodes: list[Any] = []
    # pybvh wants them depth first.
    todo, columns = [0], []
    while todo:
        joint = todo.pop()
        nodes.append(joints[joint])
        columns.append(joint)
        todo += [int(child) for child in children[joint][::-1]]
        if not len(children[joint]) and np.isfinite(still.tips[joint]).all():
            end = nodes_of.BvhEndSite(f"EndSite{still.names[joint]}", still.tips[joint] * scale, joints[joint])
            joints[joint].children = [end]
            nodes.append(end)
    angles = pybvh.rotations.rotmat_to_euler(to_matrices(still.local_rotations()[:, columns]), [order] * len(columns))
    return pybvh.Bvh(nodes, still.local_positions[:, 0] * scale, angles, 1 / still.fps, "+y")


def from_pybvh(bvh: Any, *, unit: float = 0.01, up: str | None = None, name: str = "take") -> Take:
    """The take in a `pybvh.Bvh`, whose lengths are in units of so many metres, by default centimetres.

    `up` is its axis that points up, such as "+z" [default: its `world_up`]. Raises ArrayError.
    """
    for attribute in ("nodes", "root_pos", "to_rotmat", "frame_time", "world_up"):
        if not hasattr(bvh, attribute):
            raise ArrayError(f"bvh: expected a pybvh.Bvh, found {type(bvh).__name__}")
    if not bvh.frame_time > 0:
        raise ArrayError(f"bvh: expected a positive frame_time, found {bvh.frame_time!r}")
    scale = positive("unit", unit)
    turned = upright(bvh.world_up if up is None else up)
    joints = [node for node in bvh.nodes if not node.is_end_site()]
    index = {id(node): at for at, node in enumerate(joints)}
    tips = np.full((len(joints), 3), np.nan)
    for node in bvh.nodes:
        if node.is_end_site():
            tips[index[id(node.parent)]] = np.asarray(node.offset) * scale
    roots, matrices = bvh.to_rotmat()
    rotations = from_matrices(matrices)
    rotations[:, 0] = product(turned, rotations[:, 0])
    return Take.from_arrays(
        [node.name for node in joints],
        [-1 if node.parent is None else index[id(node.parent)] for node in joints],
        np.array([node.offset for node in joints]) * scale,
        rotations,
        rotate(turned, roots * scale),
        fps=1 / bvh.frame_time,
        tips=tips,
        name=name,
    )


def to_amass(motion: Take | Loop) -> dict[str, Any]:
    """Arrays as AMASS has them, with +Z up: `poses` (F, 3 J) as axis angles, `trans` (F, 3) and `mocap_framerate`.

    The joints are those of the motion in their order; a body model needs its own skeleton, onto which `retarget` puts a motion. Raises
    ArrayError where a joint slides in its parent.

    >>> to_amass(walk)["poses"].shape
    (481, 72)
    """
    still = _still(_motion(motion), "AMASS")
    back = inverse(upright("+z"))
    rotations = np.array(still.local_rotations())
    rotations[:, 0] = product(back, rotations[:, 0])
    return {
        "poses": to_axis_angles(rotations).reshape(still.num_frames, -1),
        "trans": rotate(back, still.local_positions[:, 0]) - still.offsets[0],
        "mocap_framerate": still.fps,
    }


def from_amass(
    data: Mapping[str, Any] | PathLike,
    skeleton: SkeletonLike,
    *,
    fps: float | None = None,
    up: str = "+z",
    name: str = "take",
) -> Take:
    """The take in arrays as AMASS has them, or in a file of them, on a skeleton, which they do not hold.

    `skeleton` is a take or loop, or names, parents and offsets (J, 3) in metres: the body at rest as its model has it, with the joints of
    `poses` in their order, such as `(*body("smplh"), offsets)`; what follows behind them, such as fingers behind a body of 22 joints, is left out. `trans` moves the first
    joint from its offset. `fps` [default: `mocap_framerate` or `mocap_frame_rate`]. `up` is the axis that points up: "+z" as in AMASS, "+y" in
    what many estimators of bodies write. Raises ArrayError or ReadError.

    >>> from_amass(to_amass(walk), walk)
    <Take 'take': 481 frames at 60 fps, 24 joints>
    """
    if not isinstance(data, Mapping):
        data = _file(path_of("data", data))
    check_keys(data, ("poses", "trans"))
    if isinstance(skeleton, Take | Loop):
        names, parents, offsets, tips = skeleton.names, skeleton.parents, skeleton.offsets, skeleton.tips
    elif isinstance(skeleton, Sequence) and not isinstance(skeleton, str) and len(skeleton) == 3:
        (names, parents, offsets), tips = skeleton, None
    else:
        raise ArrayError(f"skeleton: expected a take, or names, parents and offsets, found {type(skeleton).__name__}")
    if not isinstance(names, Sequence | np.ndarray) or isinstance(names, str):
        raise ArrayError(f"skeleton: expected a list of names, found {type(names).__name__}")
    count = len(names)
    rest = numbers("offsets", offsets, (count, 3))
    poses = numbers("poses", data["poses"], (None, None))
    frames, columns = poses.shape
    if columns % 3 or columns < 3 * count:
        raise ArrayError(f"poses: expected {3 * count} columns or more, three for each joint, found {columns}")
    trans = numbers("trans", data["trans"], (frames, 3))
    if fps is None:
        stated = [data[key] for key in ("mocap_framerate", "mocap_frame_rate") if key in data]
        if not stated:
            raise ArrayError("fps: expected mocap_framerate or mocap_frame_rate in data, found neither", hint="fps=120")
        fps = float(numbers("mocap_framerate", np.reshape(stated[0], -1), (1,))[0])
    turned = upright(up)
    rotations = from_axis_angles(poses[:, : 3 * count].reshape(frames, count, 3))
    rotations[:, 0] = product(turned, rotations[:, 0])
    positions = rotate(turned, trans + rest[0])
    return Take.from_arrays([str(each) for each in names], parents, rest, rotations, positions, fps=fps, tips=tips, name=name)


def from_c3d(source: PathLike | bytes, *, up: str = "+z", unit: float | None = None) -> Markers:
    """The markers and events in a C3D file, or in the bytes of one; `take()` of these is the motion of a body that they are on.

    `up` is the axis that points up, `unit` the metres of a unit [default: as the file says]. Force plates are not read. Raises ReadError.
    """
    turned, scale = upright(up), None if unit is None else positive("unit", unit)
    if isinstance(source, bytes | bytearray | memoryview):
        return parsed(bytes(source), "bytes", turned, scale)
    path = path_of("source", source)
    return parsed(bytes_of(path), path, turned, scale)


def to_kimodo(motion: Take | Loop) -> dict[str, np.ndarray[Any, Any]]:
    """Arrays as Kimodo has them: `posed_joints` (F, 30, 3), `global_rot_mats` (F, 30, 3, 3) and `foot_contacts` (F, 4), which are those of
    the left heel and toe and the right heel and toe; both of a foot stand where it does.

    Raises ArrayError for a motion without its joints, or at another rate than 30 frames per second.
    """
    motion = _motion(motion)
    missing = [name for name in _KIMODO if name not in motion.names]
    if missing:
        found = f"found none named {', '.join(missing[:3])}{' and others' if missing[3:] else ''}"
        raise ArrayError(f"motion: expected the {len(_KIMODO)} joints of Kimodo, {found}", hint="retarget it onto its skeleton")
    if abs(motion.fps - _KIMODO_FPS) > 1e-6:
        raise ArrayError(f"motion: expected {_KIMODO_FPS:g} frames per second, found {motion.fps:g}", hint="a loop of make(fps=30)")
    joints = [motion.names.index(name) for name in _KIMODO]
    stands = {motion.names[joint]: motion.contacts[:, at] for at, joint in enumerate(motion.contact_joints)}
    feet = []
    for side in ("Left", "Right"):
        of_side = [each for name, each in stands.items() if name.startswith(side)]
        feet += 2 * [of_side[0] if of_side else np.zeros(motion.num_frames, bool)]
    return {
        "posed_joints": motion.positions[:, joints].astype(np.float32),
        "global_rot_mats": to_matrices(motion.world_rotations()[:, joints]).astype(np.float32),
        "foot_contacts": np.stack(feet, axis=1),
    }


def from_kimodo(data: Mapping[str, Any] | PathLike, *, name: str = "take") -> Take:
    """The take in arrays of Kimodo, or in a file of them, of 30, 34 (the robot G1) or 77 joints; its contacts are detected anew. Raises ArrayError
    or ReadError.

    >>> from_kimodo({"posed_joints": np.zeros((9, 77, 3)), "global_rot_mats": np.tile(np.eye(3), (9, 77, 1, 1))})
    <Take 'take': 9 frames at 30 fps, 77 joints>
    """
    if not isinstance(data, Mapping):
        data = _file(path_of("data", data))
    check_keys(data, ("posed_joints", "global_rot_mats"))
    counts = [len(body(each)[0]) for each in ("kimodo30", "kimodo34", "kimodo77")]
    positions = numbers("posed_joints", data["posed_joints"], (None, None, 3))
    count = positions.shape[1]
    if count not in counts:
        shapes = " or ".join(f"(any, {each}, 3)" for each in counts)
        raise ArrayError(f"posed_joints: expected the shape {shapes}, found {positions.shape}")
    matrices = numbers("global_rot_mats", data["global_rot_mats"], (len(positions), count, 3, 3))
    if count == len(_KIMODO):
        return from_npz({"posed_joints": positions.astype(np.float32), "global_rot_mats": matrices.astype(np.float32)}, name=name)
    return of_world(*body(count), positions, rotations_of("global_rot_mats", matrices, count, False), fps=_KIMODO_FPS, name=name)


def _motion(motion: Any) -> Take | Loop:
    if not isinstance(motion, Take | Loop):
        raise ArrayError(f"motion: expected a take or a loop, found {type(motion).__name__}")
    return motion


def _still(motion: Take | Loop, whom: str) -> Take | Loop:
    """A motion whose joints but the first keep their offsets."""
    slid = np.abs(motion.local_positions[:, 1:] - motion.offsets[1:]).max(axis=(0, 2), initial=0.0)
    if slid.size and slid.max() > _STILL:
        name = motion.names[1 + int(np.argmax(slid))]
        raise ArrayError(
            f"motion: expected joints that turn only, as {whom} has them, found {name}, which slides by {slid.max() * 1000:.3g} mm",
            hint="to_npz keeps it" if isinstance(motion, Loop) else "to_npz, or write it as BVH",
        )
    return motion


def _file(path: str) -> dict[str, Any]:
    try:
        if os.path.isfile(path) and not zipfile.is_zipfile(path):
            raise ValueError("it is no NPZ file")
        with np.load(path, allow_pickle=False) as file:
            # Others, such as the gender, may be objects, which are not read.
            return {key: file[key] for key in _KEYS if key in file}
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise ReadError(f'cannot read "{path}": {error}', hint="a file that numpy.savez wrote") from error
