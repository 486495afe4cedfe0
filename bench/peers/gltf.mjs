// Says where three.js has the joints of glTF, FBX and BVH files, against where they were read, and what the Khronos validator says.
//
// It is run by clients.py and avatars.py. The argument is a JSON file: a list of questions, each answered in a line of JSON.
//
//   {"what": "places", "file", "unit_metres", "animations": [{"number", "nodes", "frames": [{"secs", "places"}]}]}
//     -> {"places", "worst"}, the latter in metres, or {"error"}
//   {"what": "fbx" or "bvh", "file", "unit_metres", "animations": [{"name", "joints": names, "frames": as above}]}
//     -> the same, and {"missing"}: how many names were not found
//   {"what": "valid", "file"}
//     -> {"errors", "warnings", "codes": {CODE: count}}, infos and hints left out

import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { answer, played } from "./three.mjs";

const THREE = await import("three");
const { GLTFLoader } = await import("three/addons/loaders/GLTFLoader.js");
const { FBXLoader } = await import("three/addons/loaders/FBXLoader.js");
const { BVHLoader } = await import("three/addons/loaders/BVHLoader.js");
const { default: validator } = await import("gltf-validator");

// Pictures are not fetched.
THREE.TextureLoader.prototype.load = (_url, done) => {
  const texture = new THREE.Texture();
  done?.(texture);
  return texture;
};

const answers = { places, valid, fbx, bvh };
await answer(async (question) => answers[question.what](question, new Uint8Array(fs.readFileSync(question.file))));

async function valid({ file }, bytes) {
  const beside = async (uri) => new Uint8Array(fs.readFileSync(path.join(path.dirname(file), decodeURIComponent(uri))));
  const { issues } = await validator.validateBytes(bytes, { maxIssues: 0, externalResourceFunction: beside });
  const codes = {};
  for (const { code, severity } of issues.messages) if (severity < 2) codes[code] = (codes[code] ?? 0) + 1;
  return { errors: issues.numErrors, warnings: issues.numWarnings, codes };
}

async function places(question, { buffer }) {
  const gltf = await new GLTFLoader().parseAsync(buffer, pathToFileURL(`${path.dirname(question.file)}/`).href);
  const found = ({ nodes }) =>
    Promise.all(nodes.map((node) => (node === null ? null : gltf.parser.getDependency("node", node))));
  return compared(question, gltf.scene, ({ number }) => gltf.animations[number], found);
}

async function fbx(question, { buffer }) {
  const scene = new FBXLoader().parse(buffer, "");
  const clip = ({ name }) => scene.animations.find((clip) => clip.name === name || !name);
  return compared(question, scene, clip, named(scene));
}

async function bvh(question, bytes) {
  const { skeleton, clip } = new BVHLoader().parse(new TextDecoder().decode(bytes));
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
  for (const ours of question.animations) {
    const clip = clipOf(ours);
    if (!clip) throw new Error(`no animation ${ours.name}`);
    const mixer = played(THREE, scene, clip);
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
