"""What plots show, and what notebooks show of a loop."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import loopwright
from loopwright import plot

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    import matplotlib.pyplot

    matplotlib.pyplot.close("all")


def widths(axes: Any) -> list[float]:
    """Lengths of all bars, in the order of the rows."""
    return [float(np.ptp(path.vertices[:, 0])) for bars in axes.collections for path in bars.get_paths()]


def test_bars_are_as_long_as_feet_stand(take: loopwright.Take, loop: loopwright.Loop) -> None:
    assert sum(widths(plot.contacts(take))) == pytest.approx(take.contacts.sum() / take.fps)
    stood = sum(contact["length_secs"] for contact in loop.facts["feet"]["contacts"])
    # Bars begin and end at samples.
    near = len(loop.facts["feet"]["contacts"]) / loop.fps
    assert sum(widths(plot.contacts(loop))) == pytest.approx(stood, abs=near)
    axes = plot.phases({"one": loop, "two": loop})
    assert sum(widths(axes)) == pytest.approx(2 * stood / loop.period, abs=2 * near / loop.period)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["one", "two"]


def test_candidates_lie_where_they_are(take: loopwright.Take) -> None:
    found = take.find(top=5, shifted=True)
    axes = plot.candidates(found)
    bars = [bar for bar in widths(axes) if bar]
    assert np.allclose(bars, [(each.end - each.start) / take.fps for each in found])


def test_plots_draw_on_the_axes_that_are_given(take: loopwright.Take, loop: loopwright.Loop) -> None:
    import matplotlib.pyplot

    axes = matplotlib.pyplot.subplots(1, 5)[1]
    found = take.find()
    assert plot.seam(loop, axes=axes[0]) is axes[0]
    assert plot.path(take, axes=axes[1]) is axes[1]
    assert plot.contacts(take, axes=axes[2]) is axes[2]
    assert plot.candidates(found, axes=axes[3]) is axes[3]
    assert plot.phases([loop], axes=axes[4]) is axes[4]


def test_notebooks_show_the_player_of_a_loop(loop: loopwright.Loop) -> None:
    found: dict[str, dict[str, str | None]] = {}

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
            found[dict(attributes).get("id") or tag] = dict(attributes)

    Tags().feed(loop._repr_html_())
    page = found["iframe"]["srcdoc"] or ""
    Tags().feed(page)
    assert all("hidden" in found[tag] for tag in ("header", "filters", "loops"))
    assert "1.150 s at 1.25 m/s" in page and "loop.glb" not in page and "http" not in page.replace("http-equiv", "")
