# SPDX-License-Identifier: GPL-3.0-or-later
"""Refusals, which say why something cannot be done and what helps."""

from __future__ import annotations


class Refusal(Exception):
    """Something cannot be done: what is wrong, and one thing to do that helps."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(f"{what}. {remedy}" if remedy else what)


class NoLoop(Refusal):
    """A motion has no loop."""
