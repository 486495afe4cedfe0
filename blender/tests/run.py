# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the tests in the Blender that is there as a module: run by `.ci/blender`."""

import os
import sys
import unittest
from pathlib import Path

import bpy

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parent), str(FOLDER)]

import loopwright_blender  # noqa: E402

loopwright_blender.register()
tests = unittest.TestSuite()
names = sys.argv[1:]
loader = unittest.defaultTestLoader
tests.addTests(loader.loadTestsFromNames(names) if names else loader.discover(str(FOLDER)))
outcome = unittest.TextTestRunner(verbosity=1).run(tests)
print(f"Blender {bpy.app.version_string}: {outcome.testsRun} tests", flush=True)
sys.stderr.flush()
# Blender 4.5 as a module hangs when it is unloaded.
os._exit(not outcome.wasSuccessful())
