# SPDX-License-Identifier: GPL-3.0-or-later
"""Clicks in a window of Blender 3.4, and the pictures of docs/guide/blender.md: pictures.py SCRIPTS.

SCRIPTS is a folder of scripts of a Blender user, with the add-on in addons/ and the library in addons/modules/. Needs blender, Xvfb, xdotool and
ImageMagick; ends with status 77 where they are not there.
"""

import ast
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
IMAGES = HERE.parents[2] / "docs" / "images"
# Where things are in Blender 3.4 in a window of this size, pixels from its left and top.
SIZE = (1280, 800)
VIEW, TAB, FIND, MAKE = (500, 600), (1044, 261), (930, 127), (930, 309)
# What pictures show.
PICTURE = "642x640+415+81"
# Seconds from an imported take to a loop that plays, and clicks.
SECONDS, CLICKS = 10, 3


class Window:
    """A Blender on a screen of its own."""

    def __init__(self, scripts: Path, folder: Path) -> None:
        self.folder, self.clicks = folder, 0
        read, write = os.pipe()
        width, height = map(str, SIZE)
        screen = ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{width}x{height}x24"]
        self.running = [subprocess.Popen(screen, pass_fds=[write], stderr=subprocess.DEVNULL)]
        display = f":{os.read(read, 16).decode().strip()}"
        users = {"BLENDER_USER_SCRIPTS": str(scripts), "BLENDER_USER_CONFIG": str(folder / "config")}
        self.environment = {**os.environ, **users, "DISPLAY": display}
        start = ["blender", "--factory-startup", "--window-geometry", "0", "0", width, height]
        self.log = (folder / "log").open("w")
        shown = [*start, "--python", HERE / "window.py", "--", folder]
        self.running.append(subprocess.Popen(shown, env=self.environment, stdout=self.log, stderr=self.log))

    def close(self) -> None:
        for each in reversed(self.running):
            each.terminate()
            each.wait()

    def ask(self, question: str, seconds: float = 60) -> Any:
        """The value of an expression in Blender."""
        answered = self.folder / "answer"
        part = self.folder / "question"
        part.write_text(question)
        part.rename(self.folder / "ask")
        self.until(answered.exists, seconds, question)
        value = ast.literal_eval(answered.read_text())
        answered.unlink()
        return value

    def until(self, happens: Callable[[], Any], seconds: float, what: str) -> None:
        end = time.monotonic() + seconds
        while not happens():
            if time.monotonic() > end:
                self.picture(self.folder / "failed.png", "1280x800+0+0")
                shutil.copy(self.folder / "failed.png", "blender-failed.png")
                sys.exit(f"{(self.folder / 'log').read_text()}\nnot within {seconds} s: {what}; see blender-failed.png")
            time.sleep(0.02)

    def becomes(self, seconds: float = 60, **wanted: Any) -> None:
        """Waits for a state."""
        self.until(lambda: wanted.items() <= self.ask("state()").items(), seconds, f"{wanted}")

    def does(self, *actions: str) -> None:
        """Mouse and keyboard, as xdotool names it, until Blender has drawn what comes of it."""
        subprocess.run(["xdotool", *actions], env=self.environment, check=True)
        self.drawn()

    def drawn(self) -> None:
        """Waits until Blender has drawn what is changed."""
        time.sleep(0.1)
        for _ in range(2):
            self.ask("None")
        time.sleep(0.1)

    def click(self, at: tuple[int, int]) -> None:
        self.clicks += 1
        # A button is pressed only where the mouse was over it before.
        self.does("mousemove", *map(str, at))
        self.does("mousemove_relative", "2", "1")
        self.does("mousedown", "1")
        self.does("mouseup", "1")

    def keys(self, *keys: str) -> None:
        """Presses keys over the 3D View."""
        self.does("mousemove", *map(str, VIEW))
        self.does("key", *keys)

    def picture(self, path: Path, part: str = PICTURE, *options: str) -> None:
        command = ["import", "-window", "root", "-crop", part, "+repage", *options, path]
        subprocess.run(command, env=self.environment, check=True)


def main() -> None:
    missing = [each for each in ("blender", "Xvfb", "xdotool", "import", "convert") if not shutil.which(each)]
    if missing:
        print(f"SKIPPED: there is no {missing[0]}", file=sys.stderr)
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        window = Window(Path(sys.argv[1]).resolve(), Path(folder))
        try:
            seconds = from_take_to_loop(window)
            undo_and_redo(window)
            all_actions(window)
            film(window)
        finally:
            window.close()
    # Pictures are as good on a machine that is busy.
    if seconds > SECONDS:
        sys.exit(f"a loop may take {SECONDS} s")


def from_take_to_loop(window: Window) -> float:
    take = window.ask("state()")["action"]
    window.does("mousemove", *map(str, VIEW))
    start = time.monotonic()
    window.click(TAB)
    window.click(FIND)
    window.until(lambda: window.ask("state()")["found"], 60, "loops are found")
    shown = time.monotonic()
    window.drawn()
    window.picture(IMAGES / "blender-loops.png", PICTURE, "+dither", "-colors", "64")
    start += time.monotonic() - shown
    window.click(MAKE)
    window.becomes(action=f"{take}-loop", waits=True, plays=True)
    seconds = time.monotonic() - start
    print(f"from a take to a loop that plays: {window.clicks} clicks, {seconds:.1f} s")
    assert window.clicks <= CLICKS
    return seconds


def undo_and_redo(window: Window) -> None:
    loop = window.ask("state()")["action"]
    take = loop.removesuffix("-loop")
    window.keys("ctrl+z")
    window.becomes(action=take, waits=False, made=0)
    window.keys("ctrl+shift+z")
    window.becomes(action=loop, waits=True, made=1)
    window.keys("ctrl+z")
    window.becomes(action=take, waits=False, made=0)
    print("undo, redo")
    if window.ask("state()")["plays"]:
        window.keys("space")
    window.becomes(plays=False)


def all_actions(window: Window) -> None:
    """Make All Actions in the background: Esc keeps what is done, and one undo takes it back."""
    copies = "[bpy.context.view_layer.objects.active.animation_data.action.copy().name for _ in range(9)]"
    window.ask(f"({copies}, bpy.ops.ed.undo_push(message='Copies'))[0]")
    window.keys("F3")
    window.does("type", "Make All Actions")
    window.does("key", "Return")
    window.until(lambda: window.ask("state()")["made"] >= 2, 60, "loops are made")
    window.keys("Escape")
    time.sleep(2)
    made = window.ask("state()")["made"]
    time.sleep(1)
    assert 2 <= made < 10 and window.ask("state()")["made"] == made, made
    window.keys("ctrl+z")
    window.becomes(made=0)
    print(f"Make All Actions: stopped after {made}, undone")


def film(window: Window) -> None:
    """The loop as it plays, in place."""
    window.ask("setattr(bpy.context.scene.loopwright, 'root', 'IN_PLACE')")
    window.click(MAKE)
    window.becomes(waits=True, plays=True)
    window.keys("space")
    window.becomes(plays=False)
    first, last = window.ask("[bpy.context.scene.frame_preview_start, bpy.context.scene.frame_preview_end]")
    frames = []
    for frame in range(first, last + 1):
        window.ask(f"bpy.context.scene.frame_set({frame})")
        window.drawn()
        frames.append(window.folder / f"frame{frame:03}.png")
        window.picture(frames[-1])
    # 33 frames per second, the nearest to 30 that GIF can state.
    # With the same colours in all frames what does not change is stored once.
    colours = window.folder / "colours.gif"
    subprocess.run(["convert", *frames[::8], "-append", "+dither", "-colors", "48", "-unique-colors", colours], check=True)
    options = ["-delay", "3", "-loop", "0", *frames, "+dither", "-remap", colours, "-layers", "optimize"]
    subprocess.run(["convert", *options, IMAGES / "blender-loop.gif"], check=True)
    print(f"{len(frames)} frames")


main()
