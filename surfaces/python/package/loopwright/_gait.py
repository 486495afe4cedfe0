"""Gait: strides, from when feet stand, and their means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ._errors import ArrayError
from ._loop import Loop
from ._poses import Bools
from ._tables import Table
from ._take import Take

_MEANS = ("step_secs", "step_length_m", "stride_secs", "stride_length_m", "stance_secs")


@dataclass(frozen=True, repr=False)
class Gait:
    """The strides of a body, as `inspect` states them under `gait`. What is not known is None, as lengths and speeds are in place."""

    strides: Table
    """A row for each stride, from a strike of a foot to its next, in the order of the strikes: `foot`, `side`, `strike_secs`, `lift_secs`,
    `next_strike_secs`, `stride_secs`, `stride_length_m`, `stance_secs`, `duty`, `speed_mps` and `cadence_spm`; from the last strike of another
    foot to the next strike `step_secs` and `step_length_m`; of two feet `first_double_support_secs` and `second_double_support_secs`; and
    `flight_secs`, in which no foot stands. Lengths are along the way of the body. Of a loop all strides begin in one cycle."""
    means: dict[str, Any]
    """The means over all strides but those with a pause, each with `mean`, `std_dev`, `std_error` and `count`, of each foot too (`feet`), and a
    `note` on what is unusual."""
    path: str | None
    """The file of the take, or its name; None of a blend."""

    def __repr__(self) -> str:
        return f"<Gait: {len(self.strides)} strides, {_short(self.cadence)} steps per minute, {_short(self.summary['speed_mps'])} m/s>"

    def _repr_html_(self) -> str:
        """Shows notebooks the means and the strides."""
        return Table([self.summary])._repr_html_() + self.strides._repr_html_()

    @property
    def cadence(self) -> float | None:
        """Steps per minute."""
        return _mean(self.means["cadence_spm"])

    @property
    def duty_factors(self) -> dict[str, float | None]:
        """The share of a stride for which each foot stands."""
        return {foot["foot"]: _mean(foot["duty"]) for foot in self.means["feet"]}

    @property
    def symmetry(self) -> dict[str, float | None]:
        """Of two feet: the smaller over the larger mean of `step_secs`, `step_length` and `duty_factor`; 1 is even."""
        means = self.means["symmetry"]
        return {name: _mean(means[name.removesuffix("_factor")]) for name in ("step_secs", "step_length", "duty_factor")}

    @property
    def summary(self) -> dict[str, Any]:
        """The means as a row; of two feet the shares of each are named by its side, so that takes of several skeletons share columns."""
        feet = self.means["feet"]
        return {
            "path": self.path,
            "strides": self.means["strides"],
            "cadence_spm": self.cadence,
            "speed_mps": _mean(self.means["speed_mps"]),
            **{f"mean_{name}": _mean(self.means[name]) for name in _MEANS},
            "duty_factor": _mean(self.means["duty"]),
            **{f"duty_factor_{len(feet) == 2 and foot['side'] or foot['foot']}": _mean(foot["duty"]) for foot in feet},
            "double_support": _mean(self.means["double_support"]),
            "flight": _mean(self.means["flight"]),
            **{f"{name}_symmetry": value for name, value in self.symmetry.items()},
        }


def gait(motion: Take | Loop) -> Gait:
    """The strides of a take or a loop, by its contacts; none of a body without feet.

    >>> gait(walk)
    <Gait: 12 strides, 104 steps per minute, 1.247 m/s>
    """
    if not isinstance(motion, Take | Loop):
        raise ArrayError(f"motion: expected a take or a loop, found {type(motion).__name__}")
    facts = motion._inspected["gait"] if isinstance(motion, Take) else motion._native.gait()
    of_take = motion.facts if isinstance(motion, Take) else motion.facts.get("take") or {}
    return Gait(Table(facts["strides"]), facts["summary"], of_take.get("file"))


def contacts_of(motion: Take | Loop) -> tuple[tuple[int, ...], Bools]:
    """Joints of feet and whether each stands: of a take at its frames, of a loop at the samples of one period."""
    count = motion.num_samples if isinstance(motion, Loop) else motion.num_frames
    return motion.contact_joints, motion.contacts[:count]


def _short(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.4g}"


def _mean(facts: Mapping[str, float] | None) -> float | None:
    return facts["mean"] if facts else None
