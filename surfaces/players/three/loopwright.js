// Plays a set of loopwright with three.js: loops, blend spaces, starts, stops, turns and switches, by the manifest set.json alone.
//
//   const set = await LoopwrightSet.load("hero/set.json");
//   const hero = new LoopwrightCharacter(set);
//   scene.add(hero.object);
//   hero.addEventListener("strike", ({ foot }) => footstep(foot));
//   hero.setGoal({ speed: 1.4, turnRate: 0 });
//   hero.update(delta);                            // in every frame, seconds
//
// Metres, seconds, radians; +Y up, +Z forward, a left turn positive. loopwright.wasm, which lies beside this file, is the player in Rust.
//
// SPDX-License-Identifier: MIT OR Apache-2.0

import { EventDispatcher, FileLoader, LoaderUtils, Object3D, PropertyBinding, Quaternion, Vector3 } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { clone } from "three/addons/utils/SkeletonUtils.js";

const file = await fetch(new URL("loopwright.wasm", import.meta.url));
if (!file.ok) throw new Error(`${file.url} was not loaded: ${file.status} ${file.statusText}`);
const player = (await WebAssembly.instantiate(await file.arrayBuffer())).instance.exports;

/** Forgets sets and characters that nothing refers to. */
const forgotten = new FinalizationRegistry((number) => player.forget(number));

function give(...parts) {
  let at = player.room(parts.reduce((sum, { length }) => sum + length, 0));
  for (const part of parts) {
    new Uint8Array(player.memory.buffer, at, part.length).set(part);
    at += part.length;
  }
}

const utf8 = (text) => new TextEncoder().encode(text);

function answer(length) {
  return JSON.parse(new TextDecoder().decode(new Uint8Array(player.memory.buffer, player.room(length), length)));
}

/** The number of what the player has made for `owner`. */
function made(owner, length) {
  const { number, error } = answer(length);
  if (error) throw new Error(error);
  forgotten.register(owner, number);
  return number;
}

/** A set: its manifest and the motions of its clips. Any number of characters share it. */
export class LoopwrightSet {
  /** Loads `set.json` and the files that it names, which lie beside it. */
  static async load(url, { loader = new GLTFLoader() } = {}) {
    const manifest = JSON.parse(await new FileLoader().loadAsync(url));
    const base = LoaderUtils.extractUrlBase(url);
    const files = [...new Set((manifest.clips ?? []).map(({ file }) => file))];
    const loaded = await Promise.all(files.map((file) => loader.loadAsync(base + file.split("/").map(encodeURIComponent).join("/"))));
    return new LoopwrightSet(manifest, new Map(files.map((file, index) => [file, loaded[index]])));
  }

  /** A set of a manifest and its files as GLTFLoader gives them, by the names under which the manifest has them. */
  constructor(manifest, files) {
    this.manifest = manifest;
    const clips = manifest.clips ?? [];
    /** The animations of the clips. */
    this.animations = new Map(clips.map((entry) => [entry.name, animationOf(entry, files.get(entry.file))]));
    const animations = [...this.animations.values()];
    /** The body of the first file; a character has a copy of it, or a body of its own with joints of the same names. */
    this.scene = files.get(clips[0]?.file)?.scene ?? new Object3D();
    // What the root joint carries is stated by the manifest as well, which is what moves the character.
    const carrier = manifest.root_joint && PropertyBinding.sanitizeNodeName(manifest.root_joint);
    const isOf = (name) => (track) => track.name.startsWith(`${name}.`);
    this.carrier = carrier && animations[0]?.tracks.filter(isOf(carrier));

    // Joints that move, and all above them: feet stand in the world.
    const moved = new Set(animations.flatMap(({ tracks }) => tracks.map(({ name }) => name.slice(0, name.lastIndexOf(".")))));
    const nodes = [];
    this.scene.updateMatrixWorld(true);
    this.scene.traverse((node) => {
      let isNeeded = false;
      if (node !== this.scene && node.name !== carrier) node.traverse(({ name }) => (isNeeded ||= moved.has(name)));
      if (isNeeded) nodes.push(node);
    });
    /** The names of the joints that the clips move, each with its number in the player. */
    this.numbers = new Map(nodes.map(({ name }, number) => [name, number]).filter(([name]) => moved.has(name)));
    this.joints = [...this.numbers.keys()];
    /** Metres per unit of each joint's position. */
    this.scales = nodes.map(({ parent }) => parent.getWorldScale(new Vector3()).x);
    const named = new Set();
    const joints = nodes.map((node, number) => {
      let above = node.parent;
      while (above && !nodes.includes(above)) above = above.parent;
      const parent = above ? nodes.indexOf(above) : number ? 0 : null;
      const name = node.userData.name ?? node.name;
      const unique = name && !named.has(name) ? name : `${name}#${number}`;
      named.add(unique);
      return [unique, parent, node.position.toArray().map((value) => value * this.scales[number])];
    });
    const keys = clips.flatMap((entry, index) => {
      const count = entry.frames + (entry.kind === "loop" ? 0 : 1);
      const found = new Float64Array(7 * nodes.length * count);
      nodes.forEach(({ name, position, quaternion }, number) => {
        const tracks = animations[index].tracks.filter(isOf(name));
        const [places, turns] = ["position", "quaternion"].map((property) => tracks.find((track) => track.name === `${name}.${property}`)?.createInterpolant());
        for (let key = 0; key < count; key += 1) {
          const secs = (key * entry.seconds) / entry.frames;
          const place = places?.evaluate(secs) ?? position.toArray();
          found.set(Array.from(place, (value) => value * this.scales[number]), 7 * (key * nodes.length + number));
          found.set(turns?.evaluate(secs) ?? quaternion.toArray(), 7 * (key * nodes.length + number) + 3);
        }
      });
      return new Uint8Array(found.buffer);
    });
    const text = utf8(JSON.stringify({ manifest: JSON.stringify(manifest), joints }));
    give(text, ...keys);
    this.number = made(this, player.read_set(text.length));
  }
}

function animationOf({ name, file, animation }, gltf) {
  if (!gltf?.animations) throw new Error(`${file} of the clip ${name} was not loaded`);
  const found = gltf.animations.find((clip) => clip.name === animation) ?? (gltf.animations.length === 1 ? gltf.animations[0] : null);
  if (!found) throw new Error(`${file} has no animation ${animation}, which the clip ${name} names`);
  return found;
}

/**
 * A character that plays a set. Its events: `strike` and `lift` with `foot`, `clip` and `late`, the seconds that have passed since; `switch` with
 * `from`, `to` and `fade_secs`, at every switch of clips or blend spaces.
 */
export class LoopwrightCharacter extends EventDispatcher {
  /** `model`: a body with joints of the set's names; without one a copy of the set's own. `clip`: the loop to begin with, by its name; without one
   * the character stands, if the set has a loop for that. `seed`: of the order in which versions of loops follow each other. */
  constructor(set, { model = clone(set.scene), clip = "", seed = 1 } = {}) {
    super();
    this.set = set;
    /** Moves with the root. A game may move it, too: only the steps of the root are added. */
    this.object = new Object3D();
    this.object.add(model);
    this.model = model;
    this.nodes = set.joints.map((name) => model.getObjectByName(name));
    for (const { name, values } of set.carrier || []) {
      const node = model.getObjectByName(name.slice(0, name.lastIndexOf(".")));
      const property = name.slice(name.lastIndexOf(".") + 1);
      node?.[property]?.fromArray(values);
    }
    /** The longest time that a switch between moving loops waits for the moment at which it shows least, seconds. */
    this.patience = 0.3;
    /** Whether versions of loops follow each other. */
    this.varies = true;
    /** Whether feet are held where they stand. */
    this.holdsFeet = true;
    /** The root since the beginning, without what the game added. */
    this.root = { position: new Vector3(), rotation: new Quaternion() };
    give(utf8(clip));
    this.number = made(this, player.begin(set.number, seed));
    this.update(0);
  }

  /** What plays: a clip, or a blend space with its point, and the phase of the set. */
  get playing() {
    return answer(player.state(this.number)).playing;
  }

  /** What plays over that, or null. */
  get over() {
    return answer(player.state(this.number)).over;
  }

  /** The goal as far as the loops can meet it: turns that they lack are dropped first, then directions. */
  get met() {
    return answer(player.state(this.number)).met;
  }

  /** Whether the left and the right foot step, because they could not be held. */
  get stepping() {
    return answer(player.state(this.number)).stepping;
  }

  /** What the character shall do. What is left out stays. Speed in metres per second over the ground; turn rate in radians per second, and
   * direction of travel against where the body faces in radians, to the left positive; `turn`, radians: once, by a passage that turns. */
  setGoal({ speed = NaN, turnRate = NaN, direction = NaN, climb = NaN, turn = NaN }) {
    player.set_goal(this.number, speed, turnRate, direction, climb, turn);
  }

  /** Plays a clip once by its name, such as a jump, or goes into a loop, at once. */
  play(name, isOver = false) {
    give(utf8(name));
    if (player.play(this.number, isOver)) return;
    const names = this.set.manifest.clips.filter(({ kind }) => !isOver || kind !== "loop").map(({ name }) => name);
    if (names.includes(name)) throw new Error(`${name} has no upper body to play: this set does not name two legs`);
    throw new Error(`this set has no clip ${name}${isOver ? " that is no loop" : ""}; it has ${names.join(", ") || "none"}`);
  }

  /** Plays the upper body of an action, or of another clip that happens once, over what plays, at once. */
  playOver(name) {
    this.play(name, true);
  }

  /** Goes on by some seconds. */
  update(delta) {
    const at = player.update(this.number, delta, this.patience, this.varies, this.holdsFeet);
    const numbers = new Float64Array(player.memory.buffer, at, 16 + 7 * this.set.scales.length);
    const [numEvents, secs] = numbers;
    /** Seconds played. */
    this.secs = secs;
    this.object.position.add(new Vector3().fromArray(numbers, 2).applyQuaternion(this.object.quaternion));
    this.object.quaternion.multiply(new Quaternion().fromArray(numbers, 5)).normalize();
    this.root.position.fromArray(numbers, 9);
    this.root.rotation.fromArray(numbers, 12);
    this.set.joints.forEach((name, index) => {
      const number = this.set.numbers.get(name);
      this.nodes[index]?.position.fromArray(numbers, 16 + 7 * number).divideScalar(this.set.scales[number]);
      this.nodes[index]?.quaternion.fromArray(numbers, 19 + 7 * number);
    });
    if (numEvents) for (const event of answer(player.events(this.number))) this.dispatchEvent(event);
  }
}
