// Imports the clips of a set of loopwright: copy this file, set.json and the .fbx files into one folder of a Unity project.
// SPDX-License-Identifier: MIT OR Apache-2.0
#if UNITY_EDITOR
using System;
using System.IO;
using System.Linq;
using UnityEditor;
using UnityEngine;

class LoopwrightSet : AssetPostprocessor
{
    [Serializable] class Twist { public float[] linear, angular; }
    [Serializable] class Clip { public string name, file, animation, kind; public int frames; public float seconds; public Twist twist; public float[] travel_m; public float turn_deg; }
    [Serializable] class Manifest { public string format; public Clip[] clips; }

    const ModelImporterAnimationType Rig = ModelImporterAnimationType.RIG;

    ModelImporter Importer => (ModelImporter)assetImporter;

    Clip[] Clips()
    {
        var path = Path.Combine(Path.GetDirectoryName(assetPath), "set.json");
        if (!File.Exists(path)) return new Clip[0];
        var set = JsonUtility.FromJson<Manifest>(File.ReadAllText(path));
        if (set.format != "loopwright-set") return new Clip[0];
        return set.clips.Where(clip => clip.file == Path.GetFileName(assetPath)).ToArray();
    }

    void OnPreprocessModel()
    {
        if (Clips().Length == 0) return;
        Importer.animationType = Rig;
        if (Importer.avatarSetup == ModelImporterAvatarSetup.NoAvatar) Importer.avatarSetup = ModelImporterAvatarSetup.CreateFromThisModel;
        Importer.preserveHierarchy = true;
        Importer.motionNodeName = "MOTION_NODE";
    }

    void OnPreprocessAnimation()
    {
        var clips = Clips();
        if (clips.Length > 0) Importer.clipAnimations = clips.Select(Settings).ToArray();
    }

    static ModelImporterClipAnimation Settings(Clip clip)
    {
        var isLoop = clip.kind == "loop";
        var way = isLoop ? clip.twist.linear.Select(part => part * clip.seconds).ToArray() : clip.travel_m;
        var turn = isLoop ? clip.twist.angular[1] * clip.seconds * Mathf.Rad2Deg : clip.turn_deg;
        // What stays in the pose does not move the character. A humanoid's root motion is taken from its body, whose sway must not.
        var isHuman = Rig == ModelImporterAnimationType.Human;
        var stays = new[] { Math.Abs(turn) < 0.5f, Math.Abs(way[1]) < 0.005f, Math.Abs(way[0]) + Math.Abs(way[2]) < 0.005f };
        if (!isHuman) stays = Enumerable.Repeat(stays.All(each => each), 3).ToArray();
        return new ModelImporterClipAnimation
        {
            name = clip.name,
            takeName = clip.animation,
            firstFrame = 0,
            lastFrame = clip.frames,
            loopTime = isLoop,
            loopPose = false,
            lockRootRotation = stays[0],
            lockRootHeightY = stays[1],
            lockRootPositionXZ = stays[2],
            keepOriginalOrientation = true,
            keepOriginalPositionY = true,
            keepOriginalPositionXZ = true,
        };
    }
}
#endif
