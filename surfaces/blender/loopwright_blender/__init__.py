# SPDX-License-Identifier: GPL-3.0-or-later
"""Seamless loops from the actions of armatures. The loops are made by the library loopwright; here is Blender's side alone."""

from . import operators, panels, settings

# Blender before 4.2 reads this, later ones the manifest.
bl_info = {
    "name": "loopwright",
    "description": "Seamless loops from motion capture",
    "author": "The loopwright authors",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "3D View and Dope Sheet > Sidebar > loopwright",
    "category": "Animation",
}


def register() -> None:
    for module in (settings, operators, panels):
        module.register()


def unregister() -> None:
    for module in (panels, operators, settings):
        module.unregister()
