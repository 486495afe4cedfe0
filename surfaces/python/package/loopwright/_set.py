"""Sets: what takes show of one character, in phase, as files and a manifest that a player needs alone."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _native
from ._errors import ReadError, SettingError
from ._motion import warn
from ._road import Pathlike
from ._settings import RecipeLike, Settings, asked, check_count, is_path, listed, path_of
from ._take import Take, animations, read

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True, repr=False)
class MotionSet:
    """A set: its manifest, and its files by their names."""

    manifest: dict[str, Any]
    """The contents of set.json: clips, blend spaces, transitions, and what is missing."""
    files: dict[str, bytes]
    """The files of the clips, their sidecars, set.json, and those for an engine."""

    def __repr__(self) -> str:
        return f"<MotionSet {self.manifest['name']}: {len(self.manifest['clips'])} clips>"


def make_set(
    takes: Take | Pathlike | Iterable[Take | Pathlike],
    folder: Pathlike | None = None,
    *,
    variants: int = 1,
    format: str | None = None,
    split: bool = False,
    force: bool = False,
    recipe: RecipeLike | None = None,
    **settings: Unpack[Settings],
) -> MotionSet:
    """Makes the loops of one character of takes, in phase, with what happens once between them, as `loopwright set` does.

    Paths are files, all animations of which are used, or folders. With `folder` the files are written there; with `split` each clip has a
    file of its own, even where one could hold all. `fps`, `for_` and `rig` are settings. Raises NoLoopError, MakeError, WriteError.

    >>> "set.json" in make_set(walk).files
    True
    """
    check_count("variants", variants)
    files = [file for index, each in enumerate(listed("takes", takes, Take, "takes")) for file in _files(f"takes[{index}]", each)]
    wanted: dict[str, object] = {
        "variants": int(variants),
        "format": format,
        "split": split,
        "folder": None if folder is None else path_of("folder", folder),
        "force": force,
    }
    given = [(name, is_pack, [take._native for take in of_file]) for name, is_pack, of_file in files]
    manifest, made, said = _native.make_set(given, asked(settings, recipe), wanted)
    warn("MotionWarning", said)
    return MotionSet(manifest, dict(made))


def _files(name: str, value: Any) -> Iterator[tuple[str, bool, list[Take]]]:
    """The files that are meant, each with its takes, and whether it has several."""
    if isinstance(value, Take):
        yield value.name, False, [value]
        return
    if not is_path(value):
        raise SettingError(f"{name}: expected a Take or a path, found {type(value).__name__}")
    path = path_of(name, value)
    for file in _native.motions_in(path) if os.path.isdir(path) else [path]:
        if not os.path.exists(file) or len(animations(file)) < 2:
            yield str(file), False, [read(file)]
            continue
        of_file = []
        for number in range(len(animations(file))):
            try:
                of_file.append(read(file, animation=number))
            except ReadError:
                # Of many animations some hold no motion.
                continue
        yield str(file), True, of_file
