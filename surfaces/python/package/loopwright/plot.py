"""Plots of takes and loops with matplotlib: `pip install loopwright[plot]`.

    from loopwright import plot

    plot.contacts(take)
    plot.path(loop).figure.savefig("path.png")

Each draws on `axes`, or on those of a new figure, and returns them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ._errors import ArrayError, package
from ._gait import contacts_of
from ._loop import Loop
from ._poses import Bools, Floats
from ._rotations import inverse, product, to_axis_angles
from ._take import Found, Take

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["candidates", "contacts", "path", "phases", "seam"]

# The look of the command's plots; colours stay apart for those who see few.
_BLUE, _VERMILLION, _GREEN, _PURPLE, _GREY, _TEXT, _SOFT = (
    "#0072b2 #d55e00 #00875f #b0578a #8a8f98 #1f2328 #57606a".split()
)
_LINES = (_BLUE, _VERMILLION, _GREEN, _PURPLE)
_PANEL, _EDGE, _MOVING, _IDLE = "#f7f8fa", "#b4bac2", "#dcecf7", "#f6e7c8"
_GRADES = {"good": _GREEN, "review": _VERMILLION, "bad": _PURPLE, None: _GREY}

# Characters of a title and a legend in an inch.
_CHARACTERS = 13
# Points of a curve for each cycle.
_DENSE = 200
# Below it, metres, a joint does not move.
_STILL = 1e-3


def seam(loop: Loop, joints: Sequence[str] | None = None, *, axes: Axes | None = None) -> Axes:
    """Plots joints over the seam: their angles around the axis that they turn about most, from the pose there, over the period before it
    and that after it. Dots are frames; `joints` are names [default: the four that turn fastest at the seam]."""
    _expect("loop", loop, Loop)
    names = loop.names[loop.num_joints - loop.num_body_joints :]
    times = np.linspace(-loop.period, loop.period, 2 * _DENSE + 1)
    frames = np.arange(-loop.num_samples, loop.num_samples + 1) / loop.num_samples * loop.period
    if joints is None:
        before, after = loop.sample([-0.01, 0.01], local=True).rotations
        turned = np.linalg.norm(to_axis_angles(product(after, inverse(before))), axis=-1)
        chosen = [int(joint) for joint in np.argsort(-turned, kind="stable")[:4]]
    else:
        wanted = [joints] if isinstance(joints, str) else joints
        for name in wanted:
            if name not in names:
                raise ArrayError(f"joints: expected names of joints, found {name!r}", hint=f"one of {', '.join(names[:6])}, ...")
        chosen = [names.index(name) for name in wanted]
    axes = _axes(axes, (8, 3.4))
    axes.axvline(0, color=_SOFT, linewidth=1, linestyle=(0, (4, 2)))
    for at, joint in enumerate(chosen):
        curve, keys = _angles(loop, joint, times, frames)
        colour = _LINES[at % len(_LINES)]
        axes.plot(times, curve, color=colour, linewidth=1.4, label=names[joint])
        axes.plot(frames, keys, ".", color=colour, markersize=3.5, alpha=0.5)
    axes.set_xlim(times[0], times[-1])
    axes.set_xlabel("time from the seam, s")
    axes.set_ylabel("angle, deg")
    return _titled(axes, "Joints over the seam", len(chosen))


def path(motion: Take | Loop, *, axes: Axes | None = None) -> Axes:
    """The root and the feet from above, thick where a foot stands: of a take, or of two cycles of a loop, whose root has a ring at each.

    Of a take the root is the first joint that moves. +Z is up, +X left.
    """
    _expect("motion", motion, Take, Loop)
    joints, stands = contacts_of(motion)
    if isinstance(motion, Loop):
        frames = np.arange(2 * motion.num_samples + 1)
        times = frames / motion.num_samples * motion.period
        added = motion.num_joints - motion.num_body_joints
        points = motion.sample(times).positions
        feet = [points[:, joint - added] for joint in joints]
        stands = stands[frames % motion.num_samples]
        root = motion.root(times).positions
        rings = root[:: motion.num_samples]
    else:
        feet = [motion.positions[:, joint] for joint in joints]
        moves = np.flatnonzero(np.ptp(motion.positions, axis=0).max(axis=1) > _STILL)
        root = motion.positions[:, moves[0] if len(moves) else 0]
        rings = root[:0]
    axes = _axes(axes, (6, 6))
    for at, (foot, joint) in enumerate(zip(feet, joints, strict=True)):
        colour = _LINES[at % len(_LINES)]
        axes.plot(foot[:, 0], foot[:, 2], color=colour, linewidth=0.9, alpha=0.6)
        stood = np.where(stands[:, at, None], foot, np.nan)
        axes.plot(stood[:, 0], stood[:, 2], color=colour, linewidth=6, solid_capstyle="round", label=motion.names[joint])
    axes.plot(root[:, 0], root[:, 2], color=_TEXT, linewidth=1.4, label="root")
    axes.plot(rings[:, 0], rings[:, 2], "o", color=_TEXT, markerfacecolor="white", markersize=6)
    axes.set_aspect("equal", "datalim")
    if not axes.xaxis_inverted():
        axes.invert_xaxis()
    axes.set_xlabel("x, m")
    axes.set_ylabel("z, m")
    return _titled(axes, "From above", len(feet) + 1)


def contacts(motion: Take | Loop, *, axes: Axes | None = None) -> Axes:
    """When each foot stands, over the time of a take or one period of a loop."""
    _expect("motion", motion, Take, Loop)
    joints, stands = contacts_of(motion)
    feet = [motion.names[joint] for joint in joints]
    axes = _axes(axes, (8, 0.9 + 0.35 * max(len(feet), 1)))
    for at, _ in enumerate(feet):
        axes.broken_barh(_bars(stands[:, at], 1 / motion.fps), (at - 0.35, 0.7), color=_LINES[at % len(_LINES)], linewidth=0)
    _rows(axes, feet)
    axes.set_xlim(0, len(stands) / motion.fps)
    axes.set_xlabel("time, s")
    return _titled(axes, "When the feet stand")


def candidates(found: Found, *, axes: Axes | None = None) -> Axes:
    """The loops of a list along the take, in the colours of their grades, over what the body does there."""
    _expect("found", found, Found)
    take = found.facts["take"]
    axes = _axes(axes, (8, 1.3 + 0.24 * max(len(found), 2)))
    for segment in found.facts["segments"] or ():
        start, end = segment["start_frame"] / take["fps"], segment["end_frame"] / take["fps"]
        axes.axvspan(start, end, color=_IDLE if segment["gait"] == "idle" else _MOVING, linewidth=0, zorder=0)
        # In a stretch that is shorter than its word, the colour has to do.
        if (end - start) * take["fps"] / take["frames"] > 0.014 * (len(segment["gait"]) + 1):
            axes.text(start, 0.97, f" {segment['gait']}", transform=axes.get_xaxis_transform(), color=_SOFT, va="top", fontsize=8)
    for at, each in enumerate(found):
        start, length = each.start / take["fps"], (each.end - each.start) / take["fps"]
        axes.broken_barh([(start, length)], (at - 0.32, 0.64), color=_GRADES.get(each.grade, _GREY), linewidth=0)
        late = each.end > 0.85 * take["frames"]
        axes.annotate(
            f"{each.speed:.2f} m/s",
            (start if late else start + length, at),
            (-4 if late else 4, 0),
            textcoords="offset points",
            ha="right" if late else "left",
            va="center",
            fontsize=8,
            color=_TEXT,
        )
    for grade, colour in _GRADES.items():
        if any(each.grade == grade for each in found):
            axes.broken_barh([], (0, 0), color=colour, label=grade or "not graded")
    _rows(axes, [str(each.rank) for each in found], above=0.5)
    axes.set_xlim(0, (take["frames"] - 1) / take["fps"])
    axes.set_xlabel("time in the take, s")
    axes.set_ylabel("row of the list", color=_SOFT)
    return _titled(axes, "Loops along the take", len(_GRADES))


def phases(loops: Sequence[Loop] | Mapping[str, Loop], *, axes: Axes | None = None) -> Axes:
    """When the feet of several loops stand, under each other over the phase; a dictionary gives them names.

    They are aligned where they start at the same contact: `make(start_at="left-contact")`.
    """
    if isinstance(loops, Mapping):
        named = {str(name): loop for name, loop in loops.items()}
    else:
        _expect("loops", loops, Iterable)
        named = {}
        for at, loop in enumerate(loops, 1):
            _expect("loops", loop, Loop)
            named[f"{at}: {PurePath(loop.facts['take']['file']).stem if loop.facts.get('take') else 'loop'}, {loop.speed:.2f} m/s"] = loop
    called: dict[int, set[str]] = {}
    axes = _axes(axes, (8, 1.1 + 0.42 * max(len(named), 1)))
    for row, (name, loop) in enumerate(named.items()):
        _expect(f"loops: {name}", loop, Loop)
        joints, stands = contacts_of(loop)
        height = 0.72 / max(len(joints), 1)
        for at, joint in enumerate(joints):
            called.setdefault(at, set()).add(loop.names[joint])
            bars = _bars(stands[:, at], 1 / loop.num_samples)
            axes.broken_barh(bars, (row - 0.36 + at * height, 0.85 * height), color=_LINES[at % len(_LINES)], linewidth=0)
    for at, feet in called.items():
        # Loops of several skeletons have other names for the same foot.
        label = feet.pop() if len(feet) == 1 else f"foot {at + 1}"
        axes.broken_barh([], (0, 0), color=_LINES[at % len(_LINES)], label=label)
    _rows(axes, list(named))
    axes.set_xlim(0, 1)
    axes.set_xlabel("phase")
    return _titled(axes, "When the feet stand, over the phase", len(called))


def _expect(name: str, value: Any, *kinds: type) -> None:
    if not isinstance(value, kinds):
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise ArrayError(f"{name}: expected {wanted}, found {type(value).__name__}")


def _angles(loop: Loop, joint: int, *times: Floats) -> list[Floats]:
    """Angles of a joint, degrees, around the axis that it turns about most, from its pose at the start."""
    turned = [loop.sample(each, local=True).rotations[:, joint] for each in times]
    start = loop.sample(0.0, local=True).rotations[joint]
    vectors = [np.degrees(to_axis_angles(product(np.broadcast_to(inverse(start), each.shape), each))) for each in turned]
    axis = np.linalg.svd(vectors[0], full_matrices=False)[2][0]
    # The largest component counts up, so that curves do not flip with the noise.
    axis = axis * np.sign(axis[np.argmax(np.abs(axis))])
    return [each @ axis for each in vectors]


def _bars(stands: Bools, step: float) -> list[tuple[float, float]]:
    """Start and length of each run."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], stands, [False]]).astype(np.int8)))
    return [(start * step, (end - start) * step) for start, end in edges.reshape(-1, 2)]


def _axes(axes: Axes | None, size: tuple[float, float]) -> Axes:
    """Those given, or new ones, in the look of the command's plots."""
    if axes is not None and not hasattr(axes, "broken_barh"):
        raise ArrayError(f"axes: expected axes of matplotlib, found {type(axes).__name__}")
    if axes is None:
        axes = cast("Axes", package("matplotlib.pyplot", "plot").subplots(figsize=size, layout="constrained")[1])
    axes.set_facecolor(_PANEL)
    axes.grid(color=_TEXT, alpha=0.11, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(colors=_SOFT, length=0, labelsize=9)
    for label in (axes.xaxis.label, axes.yaxis.label):
        label.set(color=_SOFT, fontsize=9)
    for spine in axes.spines.values():
        spine.set_color(_EDGE)
    return axes


def _rows(axes: Axes, names: Sequence[str], above: float = 0.0) -> None:
    """One row under the other."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(max(len(names), 1) - 0.4, -0.6 - above)
    axes.grid(visible=False, axis="y")


def _titled(axes: Axes, title: str, columns: int = 0) -> Axes:
    named = axes.get_legend_handles_labels()[1] if columns else []
    written = len(title) + sum(len(name) + 5 for name in named)
    # A long legend is a line of its own, below the title.
    is_long = written > _CHARACTERS * axes.bbox.width / axes.figure.dpi
    axes.set_title(title, loc="left", pad=22 if is_long else 6, fontsize=10, fontweight="bold", color=_TEXT)
    if named:
        axes.legend(
            loc="lower left" if is_long else "lower right",
            bbox_to_anchor=(0, 1) if is_long else (1, 1),
            ncols=columns,
            frameon=False,
            fontsize=9,
            handlelength=1.2,
            borderaxespad=0.2,
            borderpad=0 if is_long else 0.4,
        )
    return axes
