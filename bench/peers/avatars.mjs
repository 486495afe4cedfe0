// Plays VRM animations on VRM characters by three-vrm, and says where their joints are.
//
//   NODE_PATH=FOLDER/node_modules node bench/peers/avatars.mjs QUESTIONS.json
//
// A list of questions, each answered in a line of JSON:
//
//   {"avatar", "file", "secs": times} -> {"bones": names, "places": for each time those of the bones, metres, "expressions": for each
//   time {name: weight}, "gaze": for each time [yaw, pitch] in degrees, "warnings": what the loaders complain of}, or {"error"}

import fs from "node:fs";
import { answer, played } from "./three.mjs";

const complaints = [];
console.warn = console.error = (...words) => complaints.push(words.map(String).join(" "));

const THREE = await import("three");
const { GLTFLoader } = await import("three/addons/loaders/GLTFLoader.js");
const { VRMLoaderPlugin } = await import("@pixiv/three-vrm");
const { VRMAnimationLoaderPlugin, VRMLookAtQuaternionProxy, createVRMAnimationClip } = await import("@pixiv/three-vrm-animation");

function load(file) {
  const loader = new GLTFLoader();
  loader.register((parser) => new VRMLoaderPlugin(parser));
  loader.register((parser) => new VRMAnimationLoaderPlugin(parser));
  return loader.parseAsync(new Uint8Array(fs.readFileSync(file)).buffer, "");
}

async function shown({ avatar, file, secs }) {
  const { vrm } = (await load(avatar)).userData;
  if (!vrm) throw new Error("no VRM");
  const motions = (await load(file)).userData.vrmAnimations;
  if (motions?.length !== 1) throw new Error(`${motions?.length} motions`);
  const proxy = new VRMLookAtQuaternionProxy(vrm.lookAt);
  proxy.name = "gaze";
  if (vrm.lookAt) vrm.scene.add(proxy);
  const mixer = played(THREE, vrm.scene, createVRMAnimationClip(motions[0], vrm));
  const bones = Object.keys(vrm.humanoid.humanBones);
  const found = { bones, places: [], expressions: [], gaze: [], warnings: complaints.splice(0) };
  for (const time of secs) {
    mixer.setTime(time);
    vrm.update(0);
    vrm.scene.updateMatrixWorld(true);
    found.places.push(bones.map((bone) => new THREE.Vector3().setFromMatrixPosition(vrm.humanoid.getRawBoneNode(bone).matrixWorld).toArray()));
    found.expressions.push(Object.fromEntries(vrm.expressionManager?.expressions.map((each) => [each.expressionName, each.weight]) ?? []));
    found.gaze.push(vrm.lookAt ? [vrm.lookAt.yaw, vrm.lookAt.pitch] : null);
  }
  return found;
}

await answer(shown);
