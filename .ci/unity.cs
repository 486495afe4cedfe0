// What the scripts of docs/guide/engines.md and of sets use of Unity, so that they can be compiled without Unity: .ci/channels.
namespace UnityEngine
{
    public static class JsonUtility { public static T FromJson<T>(string json) { return default(T); } }
    public struct Mathf { public const float Rad2Deg = 57.29578f; }
}
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
