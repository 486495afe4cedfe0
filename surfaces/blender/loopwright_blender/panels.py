# SPDX-License-Identifier: GPL-3.0-or-later
"""The tab of the sidebars, and the entries of menus, by which F3 finds the operators."""

from __future__ import annotations

import textwrap
from typing import Any

import bpy
from bpy.types import Context, Menu, Panel, UIList

from . import controls, loops
from .refusal import Refusal

_ICONS = {"good": "CHECKMARK", "review": "QUESTION", "bad": "ERROR"}


def _words(layout: Any, context: Context, text: str) -> None:
    """Text in as many lines as it needs; labels have one."""
    letters = context.region.width / (7 * context.preferences.system.ui_scale) - 4
    column = layout.column(align=True)
    for line in textwrap.wrap(text, max(int(letters), 20)):
        column.label(text=line)


class LOOPWRIGHT_UL_loops(UIList):
    """Loops that were found."""

    def draw_item(
        self, context: Context, layout: Any, data: Any, item: Any, icon: int, active: Any, name: str
    ) -> None:
        row = layout.split(factor=0.5)
        row.label(text=f"{round(item.start)}-{round(item.end)}", icon=_ICONS.get(item.grade, "NONE"))
        row = row.row(align=True)
        row.label(text=f"{item.seconds:.1f} s")
        row.label(text=f"{item.speed:.1f} m/s")


class _Shared:
    bl_category = "loopwright"
    bl_region_type = "UI"


class _Closed(_Shared):
    bl_options = {"DEFAULT_CLOSED"}


class _Main(_Shared):
    bl_label = "Loop"

    def draw(self, context: Context) -> None:
        layout = self.layout
        try:
            owner = loops.active_armature(context)
        except Refusal as refusal:
            _words(layout, context, str(refusal))
            return
        state = owner.loopwright
        layout.operator("loopwright.find", icon="VIEWZOOM")
        if state.loops:
            layout.template_list("LOOPWRIGHT_UL_loops", "", state, "loops", state, "chosen", rows=3)
            if 0 <= state.chosen < len(state.loops):
                chosen = state.loops[state.chosen]
                _words(layout, context, f"{chosen.grade}: {chosen.reason}")
        if state.loop and state.take:
            _words(layout, context, f"{state.loop.name}: {state.loop.get('loopwright_grade', '')}")
            row = layout.row(align=True)
            row.operator("loopwright.accept", icon="CHECKMARK")
            row.operator("loopwright.reject", icon="X")
        else:
            layout.operator("loopwright.make", icon="FILE_REFRESH")
        layout.operator("loopwright.make_all")
        layout.operator("loopwright.mirror", icon="MOD_MIRROR")


class _Settings(_Shared):
    bl_label = "Settings"

    def draw(self, context: Context) -> None:
        layout, settings = self.layout, context.scene.loopwright
        layout.use_property_split = True
        layout.use_property_decorate = False
        active = context.view_layer.objects.active
        owner = active.find_armature() if active and active.type != "ARMATURE" else active
        layout.prop(settings, "root")
        if owner and controls.deforming(owner):
            layout.prop(settings, "write_to")
        for name in ("straight", "origin", "closure", "blend", "feet", "engine", "cycles", "symmetric", "repeats"):
            layout.prop(settings, name)


class _Advanced(_Closed):
    bl_label = "Advanced"

    def draw(self, context: Context) -> None:
        self.layout.label(text="Recipe")
        self.layout.template_ID(context.scene.loopwright, "recipe", new="text.new", open="text.open")


class _Check(_Shared):
    bl_label = "Check"

    def draw(self, context: Context) -> None:
        layout = self.layout
        layout.operator("loopwright.check", icon="CHECKMARK")
        try:
            owner = loops.active_armature(context)
            state, action = owner.loopwright, loops.active_action(owner)
        except Refusal:
            return
        # The verdict on another action would be taken for that on this one.
        if state.checked != action.name:
            return
        _words(layout, context, state.verdict)
        column = layout.column(align=True)
        for index, finding in enumerate(state.findings):
            row = column.row()
            row.alignment = "LEFT"
            row.operator("loopwright.show", text=finding.label, icon=_ICONS.get(finding.grade, "NONE"), emboss=False).index = index


class _Retarget(_Closed):
    bl_label = "Retarget"

    def draw(self, context: Context) -> None:
        layout = self.layout
        try:
            owner = loops.active_armature(context)
        except Refusal:
            return
        for name in ("other", "reference", "gaze"):
            layout.prop(owner.loopwright, name)
        layout.operator("loopwright.retarget", icon="ARMATURE_DATA")


class _Folder(_Closed):
    bl_label = "Folder"

    def draw(self, context: Context) -> None:
        self.layout.prop(context.scene.loopwright, "folder", text="")
        self.layout.operator("loopwright.folder", icon="FILE_FOLDER")


class LOOPWRIGHT_MT_menu(Menu):
    bl_label = "loopwright"

    def draw(self, context: Context) -> None:
        for name in ("find", "make", "accept", "reject", "make_all", "check", "mirror", "retarget", "folder"):
            self.layout.operator(f"loopwright.{name}")


def _panel(shared: type, space: str, name: str, parent: str = "") -> type:
    """A panel of one of the editors; a panel is of one alone."""
    prefix = {"VIEW_3D": "VIEW3D", "DOPESHEET_EDITOR": "DOPESHEET"}[space]
    body: dict[str, Any] = {"bl_space_type": space, "bl_idname": f"{prefix}_PT_loopwright_{name}"}
    if parent:
        body["bl_parent_id"] = f"{prefix}_PT_loopwright_{parent}"
    return type(body["bl_idname"], (shared, Panel), body)


_PANELS = [
    _panel(shared, space, name, parent)
    for space in ("VIEW_3D", "DOPESHEET_EDITOR")
    for shared, name, parent in (
        (_Main, "loop", ""),
        (_Settings, "settings", ""),
        (_Advanced, "advanced", "settings"),
        (_Check, "check", ""),
        (_Retarget, "retarget", ""),
        (_Folder, "folder", ""),
    )
]
_CLASSES = [LOOPWRIGHT_UL_loops, LOOPWRIGHT_MT_menu, *_PANELS]
_MENUS = ("VIEW3D_MT_object", "VIEW3D_MT_pose", "DOPESHEET_MT_key")


def _entry(menu: Any, context: Context) -> None:
    menu.layout.menu("LOOPWRIGHT_MT_menu")


_register, _unregister = bpy.utils.register_classes_factory(_CLASSES)


def register() -> None:
    _register()
    for name in _MENUS:
        getattr(bpy.types, name).append(_entry)


def unregister() -> None:
    for name in _MENUS:
        getattr(bpy.types, name).remove(_entry)
    _unregister()
