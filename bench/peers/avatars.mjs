// Plays VRM animations on VRM characters by three-vrm, and says where their joints are.
//
//   NODE_PATH=FOLDER/node_modules node bench/peers/avatars.mjs QUESTIONS.json
//
// A list of questions, each answered in a line of JSON:
//
//   {"avatar", "file", "secs": times} -> {"bones": names, "places": for each time those of the bones, metres, "expressions": for each
//   time {name: weight}, "gaze": for each time [yaw, pitch] in degrees, "warnings": what the loaders complain of}, or {"error"}

import fs from "node:fs";
import "./three.mjs";

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
  const bytes = fs.readFileSync(file);
  return loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), "");
}

async function played({ avatar, file, secs }) {
  const { vrm } = (await load(avatar)).userData;
  if (!vrm) throw new Error("no VRM");
  const motions = (await load(file)).userData.vrmAnimations;
  if (motions?.length !== 1) throw new Error(`${motions?.length} motions`);
  const proxy = new VRMLookAtQuaternionProxy(vrm.lookAt);
  proxy.name = "gaze";
  if (vrm.lookAt) vrm.scene.add(proxy);
  const mixer = new THREE.AnimationMixer(vrm.scene);
  const action = mixer.clipAction(createVRMAnimationClip(motions[0], vrm));
  action.setLoop(THREE.LoopOnce);
  action.clampWhenFinished = true;
  action.play();
  const bones = Object.keys(vrm.humanoid.humanBones);
  const answer = { bones, places: [], expressions: [], gaze: [], warnings: complaints.splice(0) };
  for (const time of secs) {
    mixer.setTime(time);
    vrm.update(0);
    vrm.scene.updateMatrixWorld(true);
    answer.places.push(bones.map((bone) => new THREE.Vector3().setFromMatrixPosition(vrm.humanoid.getRawBoneNode(bone).matrixWorld).toArray()));
    answer.expressions.push(Object.fromEntries(vrm.expressionManager?.expressions.map((each) => [each.expressionName, each.weight]) ?? []));
    answer.gaze.push(vrm.lookAt ? [vrm.lookAt.yaw, vrm.lookAt.pitch] : null);
  }
  return answer;
}

for (const question of JSON.parse(fs.readFileSync(process.argv[2], "utf8"))) {
  console.log(JSON.stringify(await played(question).catch((error) => ({ error: String(error), warnings: complaints.splice(0) }))));
}
