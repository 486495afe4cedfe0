"""Draws the pictures beside it as the command does, from synthetic takes so that they never go stale.

    python docs/images/draw.py LOOPWRIGHT             # draws them anew
    python docs/images/draw.py LOOPWRIGHT --check     # fails where one is not today's

Pictures that differ are compared by their pixels, which needs numpy and Pillow.
"""

import math
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# A recording: a T-pose first, then standing, then a slightly uneven walk. Then a walk whose cycles differ, so that a repeated raw cut shows its seam;
# it is straight and each cycle covers a whole metre, so that the ground under a following camera shows none. Then two sound walks.
COMMANDS = """
synth --seconds 12 --lead-in 2 --t-pose --variation .05 --noise .2 -o recording.bvh
inspect recording.bvh --plot inspect.svg
find recording.bvh --every-cycle --plot find.svg
synth --seconds 5 --fps 30 --period 1.12 --speed .892857 --turn-rate 0 --drift .05 --rise .16 --variation .06 -o take.bvh
make take.bvh -o take-loop.bvh
render take.bvh take-loop.bvh --size 260x260 -o before-after.gif
render take.bvh take-loop.bvh --onion --view side --size 400x400 -o onion.png
synth -o walk.bvh
make walk.bvh -o walk-loop.bvh --plot loop.svg
render walk-loop.bvh --fixed --cycles 2 --every 18 --size 200x150 -o sheet.png
synth --seed 11 --period .86 --speed 1.9 --turn-rate 0 -o quick.bvh
make quick.bvh -o quick-loop.bvh
cost walk-loop.bvh quick-loop.bvh --plot cost.svg
fit driven.bvh --plot fit.svg
""".strip().split("\n")
PICTURES = [path for command in COMMANDS if (path := command.rpartition(" ")[2]).endswith((".svg", ".gif", ".png"))]
# Largest mean difference of pixels that rounding on another machine may cause, of 255.
ROUNDING = 0.5

FPS, SPEED_HALF_LIFE, FACING_HALF_LIFE = 60, 0.4, 0.3
# When a driven body gets another goal: its velocity along X and Z, m/s, and its facing, degrees.
GOALS = {0: (0, 0, 0), 2: (0, 1.4, 0), 6: (1.4, 0, 90), 10: (3.6, 0, 90), 14.5: (-1.4, 0, 270), 20: (0, 0, 270)}


def driven():
    """A body of two joints that springs drive to its goals, as characters in games are, with the sway of a gait and the noise of sensors, as BVH."""
    dice, step, rows = random.Random(7), 1 / FPS, []
    place, values, rates = [0.0, 0.0], [0.0] * 3, [0.0] * 3
    for frame in range(24 * FPS):
        goal = GOALS[max(secs for secs in GOALS if secs <= frame * step)]
        for axis, half_life in enumerate((SPEED_HALF_LIFE, SPEED_HALF_LIFE, FACING_HALF_LIFE)):
            y = 2 * math.log(2) / half_life
            off, left = values[axis] - goal[axis], math.exp(-y * step)
            slope = rates[axis] + y * off
            values[axis], rates[axis] = goal[axis] + left * (off + slope * step), left * (rates[axis] - y * slope * step)
        place = [at + speed * step for at, speed in zip(place, values)]
        facing, sway = math.radians(values[2]), 1.5 * min(math.hypot(*values[:2]), 1) * math.sin(5.6 * frame * step)
        x, z = 100 * place[0] + sway * math.cos(facing), 100 * place[1] - sway * math.sin(facing)
        noise = [dice.gauss(0, 0.1) for _ in range(3)]
        rows.append(f"{x + noise[0]:.4f} {90 + noise[1]:.4f} {z + noise[2]:.4f} {values[2] + dice.gauss(0, 0.2):.4f} 0 0")
    joints = "ROOT Hips { OFFSET 0 90 0 CHANNELS 6 Xposition Yposition Zposition Yrotation Xrotation Zrotation JOINT Head { OFFSET 0 70 0 CHANNELS 0 End Site { OFFSET 0 20 0 } } }"
    return "\n".join(["HIERARCHY", joints, "MOTION", f"Frames: {len(rows)}", f"Frame Time: {step}", *rows, ""])


def draw(program, folder):
    (folder / "driven.bvh").write_text(driven())
    for command in COMMANDS:
        subprocess.run([program, "-q", *command.split()], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def alike(there, now):
    """Whether two files show the same, but for rounding."""
    is_same = there.exists() and there.read_bytes() == now.read_bytes()
    if is_same or now.suffix == ".svg" or not there.exists():
        return is_same
    import numpy as np
    from PIL import Image, ImageSequence

    one, other = (np.array([frame.convert("RGBA") for frame in ImageSequence.Iterator(Image.open(path))], float) for path in (there, now))
    return one.shape == other.shape and np.abs(one - other).mean() <= ROUNDING


def main(program, check=None):
    here = Path(__file__).parent
    with tempfile.TemporaryDirectory() as scratch:
        draw(Path(program).resolve(), Path(scratch))
        if check is None:
            for name in PICTURES:
                shutil.copy(Path(scratch) / name, here)
        elif stale := [name for name in PICTURES if not alike(here / name, Path(scratch) / name)]:
            sys.exit(f"stale: {', '.join(stale)}; without --check they are drawn anew")


if __name__ == "__main__":
    main(*sys.argv[1:])
