# SPDX-License-Identifier: GPL-3.0-or-later
"""Many takes that are made into loops one after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bpy.types import Context

from .refusal import NoLoop, Refusal


@dataclass
class Work:
    """Files or actions that wait, and what became of the others."""

    title: str
    # One word for what waits, such as "file"; and what waits, each with its name.
    noun: str
    waiting: list[Any]
    # Makes the loops of one: how many, and what is to be said of it. Refuses where there is none.
    make: Callable[[Context, Any], tuple[int, list[str]]]
    done: int = 0
    made: int = 0
    none: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    # Further notes.
    said: list[str] = field(default_factory=list)

    @property
    def status(self) -> str:
        """The text of the status bar."""
        count = self.done + len(self.waiting)
        return f"{self.title}: {self.waiting[0].name} ({self.done + 1} of {count})    Esc: stop" if self.waiting else ""

    def step(self, context: Context) -> None:
        """The next one."""
        each = self.waiting.pop(0)
        # Files and actions may be gone afterwards.
        name = each.name
        try:
            made, said = self.make(context, each)
            self.made += made
            self.said += [f"{name}: {line}" for line in said]
        except NoLoop as refusal:
            self.none.append(f"{name}: {refusal}")
        except Refusal as refusal:
            self.failed.append(f"{name}: {refusal}")
        self.done += 1

    def report(self) -> str:
        """Sums up the outcomes; refuses where there is no loop."""
        reasons = [*self.failed, *self.none]
        if not self.made and reasons:
            raise Refusal(f"No loop was made of {_counted(self.done, self.noun)}. {reasons[0]}", "")
        words = f"{_counted(self.made, 'loop')} made of {_counted(self.done, self.noun)}"
        words += f", {len(self.none)} without a loop" if self.none else ""
        words += f", {len(self.failed)} failed" if self.failed else ""
        return words + (f"; stopped before {self.waiting[0].name}" if self.waiting else "")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
