"""Many takes: found in folders, made into loops in threads, and the same for one take as clusters map it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from glob import glob, has_magic
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, TypeVar

from . import _native
from ._errors import LoopwrightError, NoLoopError, ReadError, SettingError, WriteError, package
from ._rows import row_of
from ._settings import RecipeLike, asked, check_count, listed, path_of
from ._tables import CATALOG, Table, new_file, write_parquet
from ._take import opened

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._settings import Settings

Item = TypeVar("Item")
Result = TypeVar("Result")
PathLike = str | os.PathLike[str]
Progress = bool | Callable[[int, int], object] | None

_EXTENSIONS = (".bvh", ".fbx", ".glb", ".gltf", ".npz")


def batch(
    source: PathLike | Sequence[PathLike],
    output: PathLike,
    *,
    to: str | None = None,
    recipe: RecipeLike | None = None,
    force: bool = False,
    catalog: PathLike | None = None,
    threads: int | None = None,
    progress: Progress = None,
    **settings: Unpack[Settings],
) -> Table:
    """Makes the recommended loop of every take in folders into the folder `output`, with the names and bytes of `loopwright make`.

    A row for each take, in the order of their paths, whatever the number of threads: those of `loop_row`. A take that has no loop, or
    cannot be read, has a row that says so and stops nothing. `to` is a format such as "glb"; `catalog` a Parquet file for the rows of
    the loops that were made. Files that are there are left as they are, but with `force`. `progress` is called with the number of takes
    that are done and their total; True shows a bar. Ctrl-C stops it: files are whole or absent.

    Raises SettingError where settings cannot be followed, ReadError where there is no take.

    >>> batch("walk.bvh", "loops").column("verdict")
    ['good']
    """
    wanted = tasks(source, output, to=to, recipe=recipe, **settings)
    if catalog is not None:
        new_file(catalog, force)

    def row(task: dict[str, str]) -> dict[str, Any]:
        return loop_row(**task, force=force, recipe=recipe, **settings)

    table = Table(in_threads(row, wanted, threads, progress))
    if catalog is not None:
        made = [row for row in table if row["output"]]
        write_parquet({name: [row[name] for row in made] for name in CATALOG}, catalog, force)
    return table


def tasks(
    source: PathLike | Sequence[PathLike],
    output: PathLike,
    *,
    to: str | None = None,
    recipe: RecipeLike | None = None,
    **settings: Unpack[Settings],
) -> list[dict[str, str]]:
    """The takes in folders and the files of their loops, as `batch` names them: the arguments `path` and `output` of `loop_row`.

    `settings` matter where they name an engine or a character, whose format loops have; `loop_row` takes the same. Raises SettingError
    where they cannot be followed, ReadError where there is no take.

    >>> [task["path"] for task in tasks("walk.bvh", "loops")]
    ['walk.bvh']
    """
    _check_one_loop(settings)
    check_settings(settings, recipe)
    if to is not None and f".{to}" not in _EXTENSIONS:
        raise SettingError(f"to: expected one of {', '.join(each[1:] for each in _EXTENSIONS)}, found {to!r}")
    wanted = asked(settings, recipe)
    folder = Path(path_of("output", output))
    taken: set[str] = set()
    planned = []
    for path, below in takes_in(source, folder):
        beside = folder / below.parent
        # As asked for, or that of the engine, of the character, or of the take.
        stem, extension = f"{below.stem}-loop", f".{to or _native.loop_extension(path, wanted)}"
        name, number = beside / (stem + extension), 1
        while str(name).lower() in taken:
            number += 1
            name = beside / f"{stem}-{number}{extension}"
        taken.add(str(name).lower())
        planned.append({"path": path, "output": str(name)})
    return planned


def loop_row(
    path: PathLike,
    output: PathLike,
    *,
    force: bool = False,
    recipe: RecipeLike | None = None,
    **settings: Unpack[Settings],
) -> dict[str, Any]:
    """Makes the recommended loop of one take, writes it and its sidecar to the file `output`, and returns its row.

    The row has the columns of catalogs (docs/formats/catalog.md), and `verdict`: "good", "review" or "bad" of a loop, "no-loop",
    "unreadable" or "failed", with `reason`, what to `try` and `warnings`. Trouble with the take raises nothing; SettingError is raised
    for a setting that there is not. Nothing is shared between calls: threads, processes and machines may map it.

    >>> loop_row("walk.bvh", "row.bvh")["verdict"]
    'good'
    """
    _check_one_loop(settings)
    wanted = asked(settings, recipe)
    named, target = path_of("path", path), path_of("output", output)
    row: dict[str, Any] = {"verdict": "failed", "reason": None, "try": None, "warnings": ""}
    row = {**row, **dict.fromkeys(CATALOG), "path": named}
    try:
        # Writing would refuse them, too, but only after the work.
        for file in () if force else (target, f"{target}.json"):
            if os.path.lexists(file):
                raise WriteError(f'"{file}" exists already', hint="force=True to overwrite it, or another folder")
        loop = opened(named, settings, recipe)._loops(wanted)[0]
        os.makedirs(os.path.dirname(target) or ".", exist_ok=True)
        loop.write(target, force=force)
        # The figures are those of the file as it is written.
        row |= row_of(loop, facts=json.loads(Path(f"{target}.json").read_bytes()))
        row |= {"verdict": row["grade"], "warnings": "\n".join(text for _, text in loop._native.warnings())}
    except (LoopwrightError, OSError) as error:
        row |= failure_of(error)
    return row


def failure_of(error: LoopwrightError | OSError) -> dict[str, Any]:
    """The verdict in the row of a take that gave no loop."""
    verdict = "unreadable" if isinstance(error, ReadError) else "no-loop" if isinstance(error, NoLoopError) else "failed"
    return {"verdict": verdict, "reason": getattr(error, "what", str(error)), "try": getattr(error, "hint", None)}


def takes_in(source: PathLike | Sequence[PathLike], output: Path | None = None) -> list[tuple[str, PurePath]]:
    """Takes in folders, files and patterns, each with its path below the folder that all share, by which they are sorted.

    Loops with their sidecars and what lies in the folder `output` are none. Raises ReadError where there is no take.
    """
    skipped = os.path.realpath(output) if output is not None else None
    found: dict[str, str] = {}
    for name in listed("source", source, (), "a folder, a file"):
        text = path_of("source", name)
        if os.path.isdir(text):
            below = list(_below(text, skipped))
            if not below:
                raise _no_take(f'there is no take in the folder "{text}" or below')
            found |= dict.fromkeys(below, text)
        elif not os.path.exists(text) and has_magic(text):
            matching = [path for path in glob(text, recursive=True) if _is_take(path)]
            if not matching:
                raise _no_take(f'no take matches "{text}"')
            parts = PurePath(text).parts
            fixed = [part for at, part in enumerate(parts) if not any(map(has_magic, parts[: at + 1]))]
            found |= dict.fromkeys(matching, str(PurePath(*fixed)))
        elif os.path.exists(text) or os.path.exists(text.partition("#")[0]):
            found.setdefault(text, os.path.dirname(text) or ".")
        else:
            raise _no_take(f'there is no file or folder "{text}"')
    folders = {folder: os.path.realpath(folder) for folder in found.values()}
    shared = os.path.commonpath(list(folders.values()))
    placed = [
        (path, PurePath(os.path.relpath(folders[folder], shared), os.path.relpath(path, folder)))
        for path, folder in found.items()
    ]
    return sorted(placed, key=lambda each: (each[1].parts, each[0]))


def in_threads(
    work: Callable[[Item], Result], items: Sequence[Item], threads: int | None, progress: Progress
) -> list[Result]:
    """The results of work on each item, in their order. The first exception, and Ctrl-C, stop it; what has begun ends first."""
    if threads is not None:
        check_count("threads", threads)
    with _reporting(progress, len(items)) as report:
        pool = ThreadPoolExecutor(threads or os.cpu_count() or 1, "loopwright")
        try:
            futures = [pool.submit(work, item) for item in items]
            for done, future in enumerate(as_completed(futures), 1):
                future.result()
                report(done, len(items))
            return [future.result() for future in futures]
        finally:
            pool.shutdown(cancel_futures=True)


def check_settings(settings: Mapping[str, Any], recipe: RecipeLike | None) -> None:
    """Raises SettingError where settings cannot be followed, whatever the take."""
    try:
        # They are looked at before the bytes.
        _native.Take.parse(b"", "take.bvh", asked(settings, recipe))
    except ReadError:
        pass


def _check_one_loop(settings: Mapping[str, Any]) -> None:
    if settings.get("every_cycle"):
        raise SettingError("every_cycle: a batch makes one loop of each take", hint="loopwright.cycles(folder)")


def _below(folder: str, skipped: str | None) -> Iterator[str]:
    for parent, folders, files in os.walk(folder):
        if os.path.realpath(parent) == skipped:
            folders.clear()
            continue
        for file in files:
            path = os.path.join(parent, file)
            if _is_take(path):
                yield path


def _is_take(path: str) -> bool:
    """Whether a file has the name of a take, and is no loop with its sidecar."""
    return path.lower().endswith(_EXTENSIONS) and os.path.isfile(path) and not os.path.exists(f"{path}.json")


def _no_take(what: str) -> ReadError:
    return ReadError(what, [f"takes are files whose names end in {', '.join(_EXTENSIONS)}"], "another folder, or the name of a file")


@contextmanager
def _reporting(progress: Progress, total: int) -> Iterator[Callable[[int, int], object]]:
    if callable(progress):
        yield progress
    elif progress:
        with package("tqdm.auto", "progress").tqdm(total=total, unit="take") as bar:
            yield lambda done, total: bar.update()
    else:
        yield lambda done, total: None
