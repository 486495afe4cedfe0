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
    [Serializable] class Clip { public string name, file, animation, kind; public int frames; public Twist twist; public float[] travel_m; public float turn_deg; }
    [Serializable] class Manifest { public string format; public Clip[] clips; }

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
        Importer.animationType = ModelImporterAnimationType.RIG;
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
        bool Stays(float[] parts) => parts == null || parts.All(part => Math.Abs(part) < 1e-6f);
        var stays = isLoop ? Stays(clip.twist.linear) && Stays(clip.twist.angular) : Stays(clip.travel_m) && Math.Abs(clip.turn_deg) < 1e-3f;
        return new ModelImporterClipAnimation
        {
            name = clip.name,
            takeName = clip.animation,
            firstFrame = 0,
            lastFrame = clip.frames,
            loopTime = isLoop,
            loopPose = false,
            // What stays in the pose does not move the character.
            lockRootRotation = stays,
            lockRootHeightY = stays,
            lockRootPositionXZ = stays,
            keepOriginalOrientation = true,
            keepOriginalPositionY = true,
            keepOriginalPositionXZ = true,
        };
    }
}
#endif
