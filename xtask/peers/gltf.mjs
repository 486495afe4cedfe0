// Compares where joints of a glTF file stand in the world with what three.js says, and has the Khronos validator look at
// the file.
//
//   npm install --prefix FOLDER three gltf-validator
//   NODE_PATH=FOLDER/node_modules node xtask/peers/gltf.mjs target/debug/examples/world FILE...
//
// Every animation of every file is played at every tenth frame that loopwright reads. One line per file: animations,
// positions compared, largest distance in the file's unit, errors and warnings of the validator.

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const modules = path.resolve(process.env.NODE_PATH ?? "node_modules");
const require = createRequire(path.join(modules, "peers.js"));
const load = (name) => import(pathToFileURL(path.join(modules, name)).href);
// The loader asks for a browser's globals.
globalThis.self = globalThis;
globalThis.ProgressEvent = class {};
const THREE = await load("three/build/three.module.js");
const { GLTFLoader } = await load("three/examples/jsm/loaders/GLTFLoader.js");
const validator = require("gltf-validator");

const [world, ...files] = process.argv.slice(2);
for (const file of files) {
  const bytes = fs.readFileSync(file);
  const beside = (uri) => fs.readFileSync(path.join(path.dirname(file), decodeURIComponent(uri)));
  const report = await validator.validateBytes(new Uint8Array(bytes), {
    externalResourceFunction: async (uri) => new Uint8Array(beside(uri)),
  });
  const { numErrors, numWarnings } = report.issues;
  const codes = [...new Set(report.issues.messages.filter((m) => m.severity < 2).map((m) => m.code))];

  // Pictures and buffers of other files are brought along as data, so that nothing is fetched.
  const json = jsonOf(bytes);
  for (const list of ["images", "textures"]) delete json[list];
  for (const material of json.materials ?? []) {
    for (const key of Object.keys(material)) if (key !== "name") delete material[key];
  }
  for (const buffer of json.buffers ?? []) {
    if (buffer.uri && !buffer.uri.startsWith("data:")) {
      buffer.uri = `data:application/octet-stream;base64,${beside(buffer.uri).toString("base64")}`;
    }
  }
  delete json.extensionsRequired;
  const binary = binaryOf(bytes);
  if (binary) json.buffers[0].uri = `data:application/octet-stream;base64,${binary.toString("base64")}`;
  const gltf = await new GLTFLoader().parseAsync(JSON.stringify(json), "");

  let compared = 0;
  let largest = 0;
  let animations = 0;
  for (const [index, clip] of gltf.animations.entries()) {
    const named = json.animations[index].name;
    const unique = named && json.animations.findIndex((other) => other.name === named) === index;
    let ours;
    try {
      const choice = unique ? named : String(index);
      ours = JSON.parse(execFileSync(world, [file, choice], { maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "pipe"] }));
    } catch (error) {
      console.log(`  ${named}: not read: ${String(error.stderr ?? error).trim()}`);
      continue;
    }
    animations += 1;
    const mixer = new THREE.AnimationMixer(gltf.scene);
    const action = mixer.clipAction(clip);
    action.setLoop(THREE.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
    const nodes = await Promise.all(ours.nodes.map((node) => node === null ? null : gltf.parser.getDependency("node", node)));
    for (const frame of ours.frames) {
      mixer.setTime(frame.secs);
      gltf.scene.updateMatrixWorld(true);
      for (const [joint, node] of nodes.entries()) {
        if (!node) continue;
        const place = new THREE.Vector3().setFromMatrixPosition(node.matrixWorld);
        const distance = place.distanceTo(new THREE.Vector3(...frame.positions[joint]));
        if (!(distance <= largest)) largest = distance;
        compared += 1;
      }
    }
    mixer.stopAllAction();
    mixer.uncacheClip(clip);
  }
  console.log(
    `${path.basename(file)}: ${animations} animations, ${compared} positions, largest distance ${largest.toExponential(2)}; ` +
      `validator: ${numErrors} errors, ${numWarnings} warnings ${codes.join(" ")}`,
  );
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
