// Says where three.js has the joints of glTF, FBX and BVH files, against where they were read, and what the Khronos validator says.
//
// It is run by clients.py and avatars.py. The argument is a JSON file: a list of questions, each answered in a line of JSON.
//
//   {"what": "places", "file", "unit_metres", "animations": [{"nodes", "frames": [{"secs", "places"}]}]}
//     -> {"places", "worst"}, the latter in metres, or {"error"}
//   {"what": "fbx" or "bvh", "file", "unit_metres", "animations": [{"name", "joints": names, "frames": as above}]}
//     -> the same, and {"missing"}: how many names were not found
//   {"what": "valid", "file"}
//     -> {"errors", "warnings", "codes": {CODE: count}}, infos and hints left out

import fs from "node:fs";
import path from "node:path";
import "./three.mjs";

const THREE = await import("three");
const { GLTFLoader } = await import("three/addons/loaders/GLTFLoader.js");
const { FBXLoader } = await import("three/addons/loaders/FBXLoader.js");
const { BVHLoader } = await import("three/addons/loaders/BVHLoader.js");
const { default: validator } = await import("gltf-validator");

// Pictures are not fetched.
THREE.TextureLoader.prototype.load = () => new THREE.Texture();

const answers = { places, valid, fbx, bvh };
for (const question of JSON.parse(fs.readFileSync(process.argv[2], "utf8"))) {
  const beside = (uri) => fs.readFileSync(path.join(path.dirname(question.file), decodeURIComponent(uri)));
  const answer = async () => answers[question.what](question, fs.readFileSync(question.file), beside);
  console.log(JSON.stringify(await answer().catch((error) => ({ error: String(error) }))));
}

async function valid(_question, bytes, beside) {
  const { issues } = await validator.validateBytes(new Uint8Array(bytes), {
    maxIssues: 0,
    externalResourceFunction: async (uri) => new Uint8Array(beside(uri)),
  });
  const codes = {};
  for (const { code, severity } of issues.messages) if (severity < 2) codes[code] = (codes[code] ?? 0) + 1;
  return { errors: issues.numErrors, warnings: issues.numWarnings, codes };
}

async function places(question, bytes, beside) {
  // Buffers of other files are brought along as data, and pictures left out, so that nothing is fetched.
  const json = jsonOf(bytes);
  for (const list of ["images", "textures"]) delete json[list];
  for (const material of json.materials ?? []) {
    for (const key of Object.keys(material)) if (key !== "name") delete material[key];
  }
  const data = (bytes) => `data:application/octet-stream;base64,${bytes.toString("base64")}`;
  for (const buffer of json.buffers ?? []) {
    if (buffer.uri && !buffer.uri.startsWith("data:")) buffer.uri = data(beside(buffer.uri));
  }
  delete json.extensionsRequired;
  const binary = binaryOf(bytes);
  if (binary) json.buffers[0].uri = data(binary);
  const gltf = await new GLTFLoader().parseAsync(JSON.stringify(json), "");

  const found = ({ nodes }) =>
    Promise.all(nodes.map((node) => (node === null ? null : gltf.parser.getDependency("node", node))));
  return compared(question, gltf.scene, ({ number }, index) => gltf.animations[number ?? index], found);
}

async function fbx(question, bytes) {
  const scene = new FBXLoader().parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), "");
  const clip = ({ name }) => scene.animations.find((clip) => clip.name === name || !name);
  return compared(question, scene, clip, named(scene));
}

async function bvh(question, bytes) {
  const { skeleton, clip } = new BVHLoader().parse(bytes.toString("utf8"));
  const scene = new THREE.Group().add(skeleton.bones[0]);
  return compared(question, scene, () => clip, named(scene));
}

// A function that finds joints by their names, as the loaders change them.
function named(scene) {
  return async ({ joints }) =>
    joints.map((name) => scene.getObjectByName(name) ?? scene.getObjectByName(THREE.PropertyBinding.sanitizeNodeName(name)));
}

async function compared(question, scene, clipOf, found) {
  let [places, missing, worst] = [0, 0, 0];
  for (const [index, ours] of question.animations.entries()) {
    const clip = clipOf(ours, index);
    if (!clip) throw new Error(`no animation ${ours.name}`);
    const mixer = new THREE.AnimationMixer(scene);
    const action = mixer.clipAction(clip);
    action.setLoop(THREE.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
    const nodes = await found(ours);
    missing += nodes.filter((node) => node === undefined).length;
    for (const frame of ours.frames) {
      mixer.setTime(frame.secs);
      scene.updateMatrixWorld(true);
      for (const [joint, node] of nodes.entries()) {
        if (!node) continue;
        const place = new THREE.Vector3().setFromMatrixPosition(node.matrixWorld);
        places += 1;
        const distance = question.unit_metres * place.distanceTo(new THREE.Vector3(...frame.places[joint]));
        worst = Math.max(worst, distance);
      }
    }
    mixer.stopAllAction();
    mixer.uncacheClip(clip);
  }
  return { places, missing, worst };
}

function jsonOf(bytes) {
  const text = bytes.subarray(0, 4).toString() === "glTF" ? bytes.subarray(20, 20 + bytes.readUInt32LE(12)) : bytes;
  return JSON.parse(text.toString("utf8").replace(/^\uFEFF/, ""));
}

function binaryOf(bytes) {
  if (bytes.subarray(0, 4).toString() !== "glTF") return null;
  const at = 20 + bytes.readUInt32LE(12);
  return at + 8 <= bytes.length ? bytes.subarray(at + 8, at + 8 + bytes.readUInt32LE(at)) : null;
}
