// What the script of docs/guide/engines.md uses of Unity, so that it can be compiled without Unity: .ci/channels.
namespace UnityEngine { public static class JsonUtility { public static T FromJson<T>(string json) { return default(T); } } }
namespace UnityEditor
{
    public class AssetImporter { }
    public class AssetPostprocessor { public string assetPath; public AssetImporter assetImporter; }
    public enum ModelImporterAnimationType { None, Legacy, Generic, Human }
    public enum ModelImporterAvatarSetup { NoAvatar, CreateFromThisModel, CopyFromOther }
    public class ModelImporterClipAnimation
    {
        public string name, takeName;
        public float firstFrame, lastFrame;
        public bool loopTime, loopPose, lockRootRotation, lockRootHeightY, lockRootPositionXZ;
        public bool keepOriginalOrientation, keepOriginalPositionY, keepOriginalPositionXZ;
    }
    public class ModelImporter : AssetImporter
    {
        public ModelImporterClipAnimation[] clipAnimations;
        public ModelImporterAnimationType animationType;
        public ModelImporterAvatarSetup avatarSetup;
        public string motionNodeName;
        public bool preserveHierarchy;
    }
}
