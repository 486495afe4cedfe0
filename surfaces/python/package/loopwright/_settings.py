"""Settings by the names of the recipe, as keyword arguments."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any, TypedDict

from . import _native
from ._errors import ReadError, SettingError

Bounds = tuple["float | None", "float | None"]


class Settings(TypedDict, total=False):
    """All settings; `loopwright recipe` explains them, one table after the other. What is left out has the command's default."""

    # Which loop to look for.
    cycles: int
    seconds: Bounds
    within: tuple[int, int]
    speed: Bounds
    turn_rate: Bounds
    turning: str
    idle: bool
    every_cycle: bool
    # How the take is read and what is seen in it.
    up: str
    unit: str | float
    animation: str | int
    skin: str | int
    speed_up: float
    robot: str | os.PathLike[str]
    hips: str
    feet: Sequence[str]
    smooth: float
    weights: Mapping[str, float]
    contact_speed: float
    contact_height: float
    names: bool
    rig: str | os.PathLike[str]
    map: str | os.PathLike[str]
    bone_stretch: float
    reference: str | int | os.PathLike[str]
    gaze: str | float | os.PathLike[str]
    mirror: Mapping[str, str]
    licence: str
    # How loops are compared.
    climb: Bounds
    choose: str
    fade: str
    half_life: float
    shifted: bool
    # Which frames, beside those that `Take.close` names.
    symmetric: bool
    ping_pong: bool
    ease: float
    mean_cycles: str | int
    mend: bool
    several_cycles_for: str
    # How the seam is closed.
    preset: str
    method: str
    method_start: str
    method_end: str
    blend: float
    blend_start: float
    blend_end: float
    velocity_blend: float
    velocity_blend_start: float
    velocity_blend_end: float
    hardness: float
    hardness_start: float
    hardness_end: float
    share: float | Sequence[float]
    continuity: str
    seam_motion: str
    # What is written.
    root_motion: str
    root_space: str
    path_smoothing: float
    root_blend_start: float
    root_blend_end: float
    root_share: float
    root_speed: str | float
    force_straight: bool
    add_root: bool
    lock_feet: str
    fps: float
    frames: int
    cadence: float
    keep: str
    contact: str
    repeat: int
    vary: float
    vary_seed: int
    vary_amount: float
    last_key: str
    interpolation: str
    start_at: str | float
    recenter: str | bool
    for_: str
    # Tables of which there may be several.
    joint: Sequence[Mapping[str, Any]]
    stance: Sequence[Mapping[str, Any]]
    edit: Sequence[Mapping[str, Any]]


RecipeLike = Mapping[str, Any] | str | os.PathLike[str]

# Names that flags of the command have, and those of settings.
_ELSEWHERE = {"closure": "method", "range": "within", "for": "for_", "root": "root_motion"}

# Tables with the keys of recipes; the keys of others are names of joints.
_TABLES = ("joint", "stance", "edit")


def asked(settings: Mapping[str, Any], recipe: RecipeLike | None = None, picks: bool = False) -> _native.Asked:
    """Settings and a recipe as the compiled module takes them. Raises SettingError."""
    for name in _ELSEWHERE.keys() & settings.keys():
        raise SettingError(f"there is no setting '{name}'", hint=f"{_ELSEWHERE[name]}=")
    under = recipe if recipe is None or isinstance(recipe, Mapping) else path_of("recipe", recipe)
    return _native.asked(given(**settings), _plain(under, True), picks)


def given(**values: Any) -> dict[str, Any]:
    """Arguments as the compiled module takes them, without those that are None."""
    return {
        name: path_of(name, value)
        if name in ("rig", "map") or isinstance(value, os.PathLike)
        else _plain(value, name in _TABLES)
        for name, value in values.items()
        if value is not None
    }


def check_count(name: str, value: Any) -> None:
    """Raises SettingError for what is no whole number from 1; no list is longer than the largest."""
    if isinstance(value, bool) or not isinstance(value, Integral) or not 1 <= int(value) <= 2**31:
        raise SettingError(f"{name}: expected a whole number from 1, found {value!r:.60}")


def is_path(value: Any) -> bool:
    return isinstance(value, str | os.PathLike)


def listed(name: str, value: Any, single: type | tuple[type, ...], what: str) -> list[Any]:
    """Several, or one alone. Raises SettingError where there is none."""
    if isinstance(value, single) or is_path(value):
        return [value]
    if not isinstance(value, Iterable):
        raise SettingError(f"{name}: expected {what} or paths, found {type(value).__name__}")
    if found := list(value):
        return found
    raise SettingError(f"{name}: expected one or more, found none")


def path_of(name: str, value: Any) -> str:
    """An argument as the path of a file."""
    try:
        path = os.fsdecode(os.fspath(value))
        os.fsencode(path)
        if "\0" in path or len(os.path.basename(path)) > 255:
            raise ValueError
    except TypeError as error:
        raise SettingError(f"{name}: expected a path, found {type(value).__name__}") from error
    except ValueError as error:
        raise SettingError(f"{name}: no file can have the name {value!r:.60}") from error
    return path


def bytes_of(path: str) -> bytes:
    """The bytes of a file. Raises ReadError."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ReadError(f'cannot read "{path}": {error.strerror or error}') from error


def text_of(name: str, value: Any) -> str:
    """An argument as text, which has to be Unicode."""
    if not isinstance(value, str):
        raise SettingError(f"{name}: expected text, found {type(value).__name__}")
    try:
        value.encode()
    except UnicodeError as error:
        raise SettingError(f"{name}: expected Unicode, found {value!r:.60}") from error
    return value


def _plain(value: Any, is_recipe: bool) -> Any:
    """A value without types of NumPy, tuples and paths; the keys of a recipe as recipes write them."""
    if isinstance(value, Mapping):
        return {
            str(key).rstrip("_").replace("_", "-") if is_recipe else key: _plain(each, is_recipe)
            for key, each in value.items()
            if each is not None
        }
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(part, is_recipe) for part in value]
    return value
