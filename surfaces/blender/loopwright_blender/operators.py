# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators: each is one undo step, and changes nothing where it cannot be done."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import bpy
from bpy.props import IntProperty
from bpy.types import Action, Context, Object, Operator

from . import actions, faces, folder, loops, pose
from .refusal import Refusal
from .settings import show_range
from .work import Work


class _Loopwright:
    """The base of the operators: reports refusals, and changes nothing then."""

    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: Context) -> set[str]:
        return self.finish(context, self.attempt(lambda: self.run(context, loops.active_armature(context))))

    def attempt(self, work: Callable[[], Any]) -> Any:
        """What the work returns; reports why not, and returns None, where it refuses."""
        try:
            return work()
        except Refusal as refusal:
            self.report({"ERROR"}, str(refusal))
            return None

    def finish(self, context: Context, said: str | None) -> set[str]:
        if said is None:
            return {"CANCELLED"}
        self.report({"INFO"}, said)
        _redraw(context)
        return {"FINISHED"}

    def show(self, context: Context, owner: Object, action: Action, slot: Any, warnings: list[str]) -> None:
        """Lets a new action move the armature at the current frame."""
        actions.assign(owner, action, slot)
        context.scene.frame_set(context.scene.frame_current)
        self.warn(warnings)

    def warn(self, warnings: list[str]) -> None:
        for warning in dict.fromkeys(warnings):
            self.report({"WARNING"}, warning)


class FindLoops(_Loopwright, Operator):
    """List the loops of the active armature's action"""

    bl_idname = "loopwright.find"
    bl_label = "Find Loops"

    def run(self, context: Context, owner: Object) -> str:
        source = loops.read(context, owner, loops.active_action(owner))
        found = loops.find(source, context.scene.loopwright)
        state = owner.loopwright
        state.loops.clear()
        for candidate in found:
            row = state.loops.add()
            row.start = source.recording.first + candidate.start
            row.end = source.recording.first + candidate.end
            row.seconds, row.speed, row.turn_rate = candidate.period, candidate.speed, candidate.turn_rate
            row.grade, row.reason = candidate.grade or "", candidate.reason or ""
        state.found_in = source.digest
        state.chosen = 0
        self.warn(source.warnings)
        return f"{len(found)} loops, the recommended one first" if len(found) > 1 else "1 loop"


class MakeLoop(_Loopwright, Operator):
    """Make a loop of the chosen row of the list, or the recommended one, as a new action that plays at once"""

    bl_idname = "loopwright.make"
    bl_label = "Make Loop"

    def run(self, context: Context, owner: Object) -> str:
        state, settings = owner.loopwright, context.scene.loopwright
        if state.loop and state.take and owner.animation_data and owner.animation_data.action == state.loop:
            raise Refusal(f'"{state.loop.name}" waits to be accepted', "Press Accept or Reject first")
        take = loops.active_action(owner)
        source = loops.read(context, owner, take)
        row = state.chosen if 0 <= state.chosen < len(state.loops) else None
        if row is not None and state.found_in != source.digest:
            source.warnings.append("The list is of another action, or of this one before it changed: this is the recommended loop")
            row = None
        loop = loops.make(source, settings, row)
        scene = context.scene
        preview = [scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end, scene.frame_current]
        kept, had_root = pose.snapshot(owner), pose.root_bone(owner) is not None
        # A strip of the NLA may have shown the take.
        is_assigned = owner.animation_data.action is not None
        slot_before = actions.slot_of(owner.animation_data) if is_assigned else None
        action, slot = loops.write(context, source, loop, settings.root)
        off = sum("].constraints[" in curve.data_path for curve in actions.curves(action, slot))
        loops.keep(take)
        loops.assign(owner, action, slot)
        state.loop, state.take = action, take
        state.before = repr([preview, is_assigned, slot_before.identifier if slot_before else "", kept, had_root])
        show_range(scene, round(action.frame_start), round(action.frame_end) - 1)
        scene.frame_set(scene.frame_preview_start)
        _play(context, True)
        self.warn(source.warnings + source.recording.said)
        constraints = f"; it switches {off} constraints off" if off else ""
        return f'"{action.name}": {loop.grade}, {loop.reason}{constraints}'


class AcceptLoop(_Loopwright, Operator):
    """Keep the loop; the take's action stays in the file"""

    bl_idname = "loopwright.accept"
    bl_label = "Accept"

    def run(self, context: Context, owner: Object) -> str:
        state = _waiting(owner)
        name = state.loop.name
        state.loop = state.take = None
        state.before = ""
        _play(context, False)
        return f'"{name}" is kept'


class RejectLoop(_Loopwright, Operator):
    """Delete the loop, and go back to the take's action"""

    bl_idname = "loopwright.reject"
    bl_label = "Reject"

    def run(self, context: Context, owner: Object) -> str:
        state = _waiting(owner)
        loop, take = state.loop, state.take
        preview, is_assigned, slot_name, kept, had_root = ast.literal_eval(state.before)
        _play(context, False)
        actions.assign(owner, take if is_assigned else None, actions.slot_named(take, slot_name))
        faces.reject(loop)
        pose.restore(owner, kept)
        if not had_root:
            pose.remove_root_bone(context, owner)
        state.loop = state.take = None
        state.before = ""
        bpy.data.actions.remove(loop)
        scene = context.scene
        show_range(scene, *preview[1:3], is_used=preview[0])
        scene.frame_set(preview[3])
        return f'Back to "{take.name}"'


class _Many(_Loopwright):
    """Operators of many steps: in a window they go on in the background, with progress in the status bar, until Esc; all is one undo step."""

    def open(self, context: Context) -> Work:
        """Returns the work to be done. Refuses."""
        raise NotImplementedError

    def execute(self, context: Context) -> set[str]:
        return self.finish(context, self.attempt(lambda: self.run(context)))

    def run(self, context: Context) -> str:
        work = self.open(context)
        while work.waiting:
            work.step(context)
        return self.told(work)

    def told(self, work: Work) -> str:
        said = work.report()
        self.warn([*work.said, *work.none, *work.failed])
        return said

    def invoke(self, context: Context, event: Any) -> set[str]:
        if bpy.app.background:
            return self.execute(context)
        self.work = self.attempt(lambda: self.open(context))
        if self.work is None:
            return {"CANCELLED"}
        self.timer = context.window_manager.event_timer_add(0.05, window=context.window)
        context.window_manager.modal_handler_add(self)
        context.workspace.status_text_set(self.work.status)
        return {"RUNNING_MODAL"}

    def modal(self, context: Context, event: Any) -> set[str]:
        stops = event.type == "ESC" and event.value == "PRESS"
        if event.type == "TIMER":
            self.work.step(context)
            context.workspace.status_text_set(self.work.status)
            _redraw(context)
        if self.work.waiting and not stops:
            return {"RUNNING_MODAL"}
        self.cancel(context)
        return self.finish(context, self.attempt(lambda: self.told(self.work)))

    def cancel(self, context: Context) -> None:
        context.window_manager.event_timer_remove(self.timer)
        context.workspace.status_text_set(None)


class MakeAll(_Many, Operator):
    """Make the recommended loop of every action that moves bones of the active armature, as new actions"""

    bl_idname = "loopwright.make_all"
    bl_label = "Make All Actions"

    def open(self, context: Context) -> Work:
        owner = loops.active_armature(context)
        loops.asked(context.scene.loopwright)
        takes = [action for action in bpy.data.actions if "loopwright_grade" not in action and actions.moves(owner, action)]
        if not takes:
            raise Refusal(f'No action moves bones of "{owner.name}"', "Import takes for it, or choose another armature")

        rigs: dict[str, Any] = {}

        def make(context: Context, take: Action) -> tuple[int, list[str]]:
            try:
                return 1, loops.make_one(context, owner, take, rigs)[2]
            finally:
                context.scene.frame_set(context.scene.frame_current)

        return Work(self.bl_label, "action", takes, make)


class LoopsFromFolder(_Many, Operator):
    """Import the BVH, FBX and GLB files of a folder, and make loops of all their actions; files without a loop are removed again"""

    bl_idname = "loopwright.folder"
    bl_label = "Loops from Folder"

    def open(self, context: Context) -> Work:
        return folder.open_folder(context.scene.loopwright)


class CheckLoop(_Loopwright, Operator):
    """Play the active armature's action over its seam, and list what was measured"""

    bl_idname = "loopwright.check"
    bl_label = "Check"

    def run(self, context: Context, owner: Object) -> str:
        source = loops.read(context, owner, loops.active_action(owner))
        checked = loops.check(source)
        state = owner.loopwright
        state.findings.clear()
        first, fps = source.recording.first, source.recording.fps
        # Faults first.
        worst = {"bad": 0, "review": 1, "good": 2}
        rows = [row for row in checked.checks.values() if row["grade"]]
        for row in sorted(rows, key=lambda row: worst[row["grade"]]):
            finding = state.findings.add()
            name, unit = row["id"].replace("-", " ").capitalize(), f" {row['unit']}".rstrip()
            finding.label = f"{name}: {row['value']:.3g}{unit}"
            finding.text = finding.label if row["limit"] is None else f"{finding.label}, good up to {row['limit']:.3g}{unit}"
            finding.grade = row["grade"]
            finding.bone = row["joint"] or ""
            finding.frame = -1 if row["time_secs"] is None else first + row["time_secs"] * fps
        state.verdict = f"{source.action.name}: {checked.grade}, {checked.reason}"
        state.checked = source.action.name
        return state.verdict


class ShowFinding(_Loopwright, Operator):
    """Select the bone, and go to the frame"""

    bl_idname = "loopwright.show"
    bl_label = "Show"

    index: IntProperty()

    @classmethod
    def description(cls, context: Context, properties: Any) -> str:
        findings = context.object.loopwright.findings if context.object else ()
        if properties.index < len(findings):
            return f"{findings[properties.index].text}: select the bone, and go to the frame"
        return "Select the bone, and go to the frame"

    def run(self, context: Context, owner: Object) -> str:
        if not 0 <= self.index < len(owner.loopwright.findings):
            raise Refusal("There is nothing to show", "Press Check")
        finding = owner.loopwright.findings[self.index]
        if bone := owner.pose.bones.get(finding.bone):
            for each in owner.pose.bones:
                _select(each, each == bone)
            owner.data.bones.active = bone.bone
        if finding.frame >= 0:
            context.scene.frame_set(int(finding.frame), subframe=finding.frame % 1)
        return finding.text


class MirrorAction(_Loopwright, Operator):
    """Exchange left and right of the active armature's action, as a new action"""

    bl_idname = "loopwright.mirror"
    bl_label = "Mirror"

    def run(self, context: Context, owner: Object) -> str:
        take = loops.active_action(owner)
        source = loops.read(context, owner, take)
        action, slot = loops.mirror(context, source)
        loops.keep(take)
        self.show(context, owner, action, slot, source.warnings + source.recording.said)
        return f'"{action.name}" shows "{take.name}" mirrored'


class RetargetAction(_Loopwright, Operator):
    """Put the motion of the chosen armature, its action or loop, onto the active one, as a new action"""

    bl_idname = "loopwright.retarget"
    bl_label = "Retarget"

    def run(self, context: Context, owner: Object) -> str:
        other = loops.other_armature(context, owner)
        loops.check_nla(owner)
        # Other frames take away what was posed.
        with pose.unchanged(owner):
            source = loops.read(context, other, loops.active_action(other))
        action, slot, verdict = loops.retarget(context, source, owner, context.scene.loopwright)
        if owner.animation_data and owner.animation_data.action:
            loops.keep(owner.animation_data.action)
        self.show(context, owner, action, slot, source.warnings)
        return f'"{action.name}" shows "{source.action.name}" on "{owner.name}"{verdict}'


def _redraw(context: Context) -> None:
    # Panels do not know that what they show has changed.
    for area in context.screen.areas if context.screen else ():
        area.tag_redraw()


def _waiting(owner: Object) -> Any:
    state = owner.loopwright
    if not (state.loop and state.take and state.before):
        raise Refusal("No loop waits to be accepted", "Press Make Loop first")
    return state


def _select(bone: Any, selected: bool) -> None:
    # Since 5.0 the selection is the pose's.
    if hasattr(bone, "select"):
        bone.select = selected
    else:
        bone.bone.select = selected


def _play(context: Context, plays: bool) -> None:
    screen = context.screen
    if screen and not bpy.app.background and screen.is_animation_playing != plays:
        bpy.ops.screen.animation_play()


_CLASSES = (FindLoops, MakeLoop, AcceptLoop, RejectLoop, MakeAll, LoopsFromFolder, CheckLoop, ShowFinding, MirrorAction, RetargetAction)

register, unregister = bpy.utils.register_classes_factory(_CLASSES)
