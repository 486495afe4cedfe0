# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the tests in the Blender that is there as a module: all_tests.py [--zip ZIP] [TEST...].

With a zip the add-on is installed from it, with its wheel, as users do; else it is that of this folder, and the library must be on the path.
"""

import argparse
import importlib
import os
import sys
import unittest
from pathlib import Path

import bpy

parser = argparse.ArgumentParser()
parser.add_argument("--zip", type=Path)
parser.add_argument("tests", nargs="*")
asked = parser.parse_args()
folder = Path(__file__).resolve().parent
sys.path[:0] = [str(folder), str(folder.parent)]
if asked.zip:
    sys.path.remove(str(folder.parent))
    bpy.ops.preferences.addon_enable(module="bl_pkg")
    bpy.ops.extensions.package_install_files(filepath=str(asked.zip.resolve()), repo="user_default", enable_on_install=True)
    name = "bl_ext.user_default.loopwright"
    # Tests name the add-on as it is called in its folder.
    for module in [each for each in sys.modules if each == name or each.startswith(f"{name}.")]:
        sys.modules[module.replace(name, "loopwright_blender")] = sys.modules[module]
else:
    importlib.import_module("loopwright_blender").register()

loader = unittest.defaultTestLoader
tests = loader.loadTestsFromNames(asked.tests) if asked.tests else loader.discover(str(folder))
outcome = unittest.TextTestRunner().run(tests)
print(f"Blender {bpy.app.version_string}: {outcome.testsRun} tests", flush=True)
sys.stderr.flush()
# Blender 4.5 as a module may hang when it is unloaded.
os._exit(not outcome.wasSuccessful())
