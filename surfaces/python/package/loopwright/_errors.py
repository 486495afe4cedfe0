"""Errors and warnings."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any


class LoopwrightError(Exception):
    """The base of all errors of this package.

    ``what`` says what happened and where, ``details`` why, ``hint`` one thing to try.
    """

    def __init__(self, what: str, details: Sequence[str] = (), hint: str | None = None) -> None:
        self.what = what
        self.details = tuple(details)
        self.hint = hint
        super().__init__(self.what, self.details, self.hint)

    def __str__(self) -> str:
        hint = [f"try: {self.hint}"] if self.hint else []
        return "\n".join([self.what, *self.details, *hint])


class ReadError(LoopwrightError):
    """A file cannot be read."""


class WriteError(LoopwrightError):
    """A file cannot be written."""


class SettingError(LoopwrightError, ValueError):
    """A setting or an argument cannot be followed."""


class ArrayError(LoopwrightError, ValueError):
    """An array is none of a motion: its type, shape or values are wrong."""


class MakeError(LoopwrightError):
    """A loop cannot be made as asked for."""


class NoLoopError(MakeError):
    """There is no loop of the kind that is asked for."""


class CommandError(LoopwrightError):
    """A command failed."""


class InternalError(LoopwrightError):
    """A fault of loopwright itself: please report it."""


class LoopwrightWarning(UserWarning):
    """The base of all warnings of this package."""


class FileWarning(LoopwrightWarning):
    """Something odd in a file."""


class MotionWarning(LoopwrightWarning):
    """Something to know of a take or a loop."""


class MissingPackageError(LoopwrightError, ImportError):
    """A package that this needs is not installed."""


def package(name: str, extra: str) -> Any:
    """A module that only some functions need. Raises MissingPackageError, which says how to install it."""
    try:
        return import_module(name)
    except ImportError as error:
        what = f"the package {name.split('.')[0]} is not installed"
        raise MissingPackageError(what, hint=f"pip install 'loopwright[{extra}]'") from error
