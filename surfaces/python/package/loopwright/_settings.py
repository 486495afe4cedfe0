"""Settings by the names of the recipe, as keyword arguments."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, TypedDict

from . import _native
from ._errors import SettingError

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

# Flags of a search; the others are keys of the recipe.
_SEARCH = ("cycles", "seconds", "within", "speed", "turn_rate", "turning", "idle", "every_cycle")
_REPEATED = ("joint_weight", "tag", "gait")
_SWITCHES = ("idle", "every_cycle")
_BOUNDS = ("seconds", "within", "speed", "turn_rate", "climb")


@cache
def keys() -> dict[str, str]:
    """The key of the recipe that each keyword stands for."""
    named = {key.rsplit(".", 1)[-1].replace("-", "_"): key for key in _native.setting_keys()}
    named["for_"] = named.pop("for")
    return named


def asked(settings: Mapping[str, Any], recipe: RecipeLike | None = None, picks: bool = False) -> dict[str, Any]:
    """Settings and a recipe as the compiled module takes them."""
    sets: list[str] = []
    search: list[str] = []
    files: dict[str, str] = {}
    for name, value in settings.items():
        if value is None:
            continue
        if name in ("rig", "map"):
            files[name] = path_of(name, value)
        elif name in _SEARCH:
            search += _flag(name, value)
        else:
            key = keys().get(name)
            if key is None:
                raise SettingError(f"there is no setting {name!r}", hint=_near(name))
            sets += _sets(name, key, value)
    text, file = None, None
    if isinstance(recipe, Mapping):
        try:
            text = json.dumps({_hyphened(key): _plain(value) for key, value in recipe.items()})
        except (TypeError, ValueError) as error:
            raise SettingError(f"recipe: {error}") from error
    elif recipe is not None:
        file = path_of("recipe", recipe)
    return {
        "recipe": text,
        "recipe_file": file,
        "sets": sets,
        "rig": files.get("rig"),
        "map": files.get("map"),
        "search": search,
        "picks": picks,
    }


def path_of(name: str, value: Any) -> str:
    """An argument as the path of a file."""
    try:
        path = os.fsdecode(os.fspath(value))
        os.fsencode(path)
    except TypeError as error:
        raise SettingError(f"{name}: expected a path, found {type(value).__name__}") from error
    except UnicodeError as error:
        raise SettingError(f"{name}: no file can have the name {value!r:.60}") from error
    return path


def text_of(name: str, value: Any) -> str:
    """An argument as text, which has to be Unicode."""
    if not isinstance(value, str):
        raise SettingError(f"{name}: expected text, found {type(value).__name__}")
    try:
        value.encode()
    except UnicodeError as error:
        raise SettingError(f"{name}: expected Unicode, found {value!r:.60}") from error
    return value


def _near(name: str) -> str | None:
    from difflib import get_close_matches

    near = get_close_matches(name, [*keys(), *_SEARCH], 1)
    return f"{near[0]}=" if near else "`loopwright recipe` lists all settings"


def _flag(name: str, value: Any) -> list[str]:
    flag = "--" + name.replace("_", "-")
    if name in _SWITCHES:
        if not isinstance(value, bool):
            raise SettingError(f"{name}: expected True or False, found {value!r}")
        return [flag] if value else []
    return [f"{flag}={_bounds(name, value) if name in _BOUNDS else _text(name, value)}"]


def flags(**values: Any) -> list[str]:
    """Flags of a command; lists with commas, but for those that are repeated, and joints of the body as the setting that they are."""
    said: list[str] = []
    for name, value in values.items():
        if value is None:
            continue
        if name in ("hips", "feet"):
            said += [f"--set={each}" for each in _sets(name, keys()[name], value)]
            continue
        flag = "--" + name.rstrip("_").replace("_", "-")
        value = _plain(value)
        if name == "recenter" and isinstance(value, bool):
            value = "on" if value else "off"
        if isinstance(value, list) and name not in _REPEATED:
            value = ",".join(_text(name, part) for part in value)
        said += [f"{flag}={_text(name, part)}" for part in (value if isinstance(value, list) else [value])]
    return said


def _bounds(name: str, value: Any) -> str:
    if isinstance(value, str):
        return text_of(name, value)
    try:
        low, high = value
    except (TypeError, ValueError) as error:
        raise SettingError(f"{name}: expected (low, high), either of which may be None, found {value!r}") from error
    return ":".join("" if bound is None else _text(name, bound) for bound in (low, high))


def _sets(name: str, key: str, value: Any) -> list[str]:
    """A setting as the flag `--set` takes it; tables one by one."""
    if name in ("joint", "stance", "edit"):
        tables = [value] if isinstance(value, Mapping | str) else value
        if not isinstance(tables, list | tuple):
            raise SettingError(f"{name}: expected a table or a list of them, found {type(value).__name__}")
        return [f"{key}={_text(name, table)}" for table in tables]
    if name in _BOUNDS:
        return [f"{key}={_bounds(name, value)}"]
    if isinstance(value, Mapping) and name not in ("weights", "mirror"):
        raise SettingError(f"{name}: expected a value, found a table")
    if name == "weights" and isinstance(value, Mapping):
        value = [f"{joint}={_text(name, weight)}" for joint, weight in value.items()]
    if name == "mirror" and isinstance(value, Mapping):
        value = [f"{left}={right}" for left, right in value.items()]
    if name == "recenter" and isinstance(value, bool):
        value = "on" if value else "off"
    return [f"{key}={_text(name, value)}"]


def _text(name: str, value: Any) -> str:
    """A value as TOML writes it; words without quotes."""
    value = _plain(value)
    if isinstance(value, str):
        return text_of(name, value)
    try:
        return text_of(name, _toml(value))
    except TypeError as error:
        raise SettingError(f"{name}: {error}") from error


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_toml(value)}" for key, value in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    raise TypeError(f"expected a number, a word, a list or a table, found {type(value).__name__}")


def _plain(value: Any) -> Any:
    """A value without types of NumPy, tuples and paths, its keys as recipes write them."""
    if isinstance(value, Mapping):
        return {_hyphened(key): _plain(value) for key, value in value.items() if value is not None}
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value


def _hyphened(key: Any) -> str:
    return str(key).rstrip("_").replace("_", "-")
