# SPDX-License-Identifier: GPL-3.0-or-later
"""The library loopwright: found, and its errors in the words of the add-on."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from .refusal import NoLoop, Refusal

# The add-on is packed with the wheel of this version.
VERSION = "0.1.0"
_REMEDY = "Install the add-on's zip for your system again: Edit > Preferences > Get Extensions > Install from Disk"


def library() -> ModuleType:
    """The library, of the version that this add-on is made for."""
    try:
        import loopwright
    except ImportError as error:
        raise Refusal(f"The library of the add-on is missing ({error})", _REMEDY) from error
    if loopwright.__version__ != VERSION:
        raise Refusal(f"The add-on needs loopwright {VERSION}, but found {loopwright.__version__}", _REMEDY)
    return loopwright


@contextmanager
def spoken(remedy: str = "") -> Iterator[list[str]]:
    """Turns errors of the library into refusals, with this remedy where the library knows none in Blender, and collects its warnings."""
    errors = library()
    said: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield said
        except errors.LoopwrightError as error:
            kind = NoLoop if isinstance(error, errors.NoLoopError) else Refusal
            raise kind("; ".join([error.what, *error.details]), _remedy(errors, error) or remedy) from error
        finally:
            # Flags of the command are said last; Blender has none.
            texts = (getattr(each.message, "of_command", "") for each in caught if issubclass(each.category, errors.LoopwrightWarning))
            said += [re.sub(r"\s*[;(][^;(]*--.*", "", text) for text in texts]


def _remedy(errors: ModuleType, error: Any) -> str:
    """The remedy for an error, without keyword arguments, which Blender has none of."""
    if isinstance(error, errors.NoLoopError):
        return "Choose an action whose motion repeats, of at least two cycles, or other settings"
    if isinstance(error, errors.InternalError):
        return "Please report it"
    return f"Try {error.hint}" if error.hint and "=" not in error.hint else ""
