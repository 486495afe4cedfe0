// Plays a set of loopwright with three.js: loops, blend spaces, starts, stops, turns and switches, by the manifest set.json alone.
//
//   const set = await LoopwrightSet.load("hero/set.json");
//   const hero = new LoopwrightCharacter(set);
//   scene.add(hero.object);
//   hero.addEventListener("strike", ({ foot }) => footstep(foot));
//   hero.setGoal({ speed: 1.4, turnRate: 0 });
//   hero.update(delta);                            // in every frame, seconds
//
// Metres, seconds, radians; +Y up, +Z forward, a left turn positive. The mathematics: docs/math/blend.md of loopwright.
//
// SPDX-License-Identifier: MIT OR Apache-2.0

import { EventDispatcher, FileLoader, LoaderUtils, Object3D, PropertyBinding, Quaternion, Vector3 } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { clone } from "three/addons/utils/SkeletonUtils.js";

const DEGREES = Math.PI / 180;

/** Seconds by which motions are sampled on both sides of a switch: short against what a body does, long against rounding. */
const STEP = 1 / 240;

/** Where the manifest states no fade for a switch. */
const FADE = { fade: "quintic", fade_secs: 0.3 };

/** The fade into an action and out of it: its speed never exceeds that which was seen. */
const ACTION_FADE = { fade: "cubic", fade_secs: 0.3 };

/** An action that may be left in less is left now, seconds. */
const NOW_SECS = 1e-9;

/** Half-life of a change of speed or turn rate where the manifest states none, seconds; docs/math/fit.md. */
const HALF_LIFE_SECS = 0.4;

/** A loop that moves less than this stands, metres and radians per second. */
const STILL = 0.05;

/** Speed below which the lengths of loops do not tell whose time counts. */
const SLOW_MPS = 0.01;

/** The largest warp of a clock: with 1/pi it would stand still. */
const MOST_WARP = 0.3;

/** The same event of the same foot within this time is one, as where another loop of a blend takes over, seconds. */
const SAME_EVENT_SECS = 0.1;

/** A turn is not met by loops that stand if that takes more of them than to go straight, as a share of the time. */
const MOST_STANDING = 0.05;

/** A loop of a smaller share takes no part: the others then play as they would without it. */
const LEAST_SHARE = 1e-4;

/** What ways from space to space cost a plan. A passage is made for it; a transition of the manifest fades where it shows least; at once fades at
 * equal phase. Between standing and moving a fade slides the feet. Into the other direction the way leads through an idle, where there is one. */
const COSTS = { passage: 1, transition: 2, once: 3, standing: 2, opposed: 15 };

/** Ranges of axes over which distances are measured at least: less is chance, where no loop is meant to differ. */
const LEAST_RANGE = { mps: 0.5, degrees: 45 };

/** How near a blend's point is to that of a loop when the loop counts as played, as a share of the range of the axes. */
const NEAR = 0.1;

/** A passage out of a moving loop begins after so many cycles even if the blend's point is elsewhere. */
const MOST_CYCLES = 2;

/** What a radian that a way turns without being asked to costs a plan, and a stand on the way: who only speeds up neither turns aside for it nor
 * stops. */
const UNASKED = { turn: 3, stand: 3 };

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
    if (manifest.format !== "loopwright-set") throw new Error(`this is no set of loopwright: its format is ${manifest.format}`);
    if (manifest.version !== 1) throw new Error(`this set has version ${manifest.version}, and this player reads version 1`);
    if (!manifest.clips?.length) throw new Error("this set has no clips");
    this.manifest = manifest;
    /** The body of the first file; a character has a copy of it, or a body of its own with joints of the same names. */
    this.scene = files.get(manifest.clips[0].file).scene;

    const animations = manifest.clips.map((entry) => animationOf(entry, files.get(entry.file)));
    // Where no root joint carries the travel, it is taken off the joint that does.
    const traveller = manifest.in_place || manifest.root_joint ? null : PropertyBinding.sanitizeNodeName(manifest.skeleton.carrier);
    // What the root joint carries is stated by the manifest as well, which is what moves the character.
    const carrier = manifest.root_joint && PropertyBinding.sanitizeNodeName(manifest.root_joint);
    const names = animations.flatMap(({ tracks }) => tracks.map(({ name }) => name.slice(0, name.lastIndexOf("."))));
    this.joints = [...new Set(names)].filter((name) => name !== carrier && this.scene.getObjectByName(name));
    this.carrier = carrier && animations[0].tracks.filter(({ name }) => name.startsWith(carrier + "."));
    this.legs = legsOf(this.scene, manifest.skeleton ?? {});
    const puppet = clone(this.scene);
    const rest = new Float64Array(7 * (this.joints.length + this.legs.length));
    this.joints.forEach((name, joint) => {
      const { position, quaternion } = this.scene.getObjectByName(name);
      position.toArray(rest, 7 * joint);
      quaternion.toArray(rest, 7 * joint + 3);
    });
    /** Puts the tips of the feet of a pose after its joints, seen from the root. */
    const findTips = (pose) => {
      if (this.legs.length) putOn(this.joints.map((name) => puppet.getObjectByName(name)), pose);
      puppet.updateMatrixWorld(true);
      this.legs.forEach(({ tip }, side) => pose.set([...puppet.getObjectByName(tip).getWorldPosition(new Vector3()), 0, 0, 0, 1], 7 * (this.joints.length + side)));
    };
    this.clips = new Map(manifest.clips.map((entry, index) => [entry.name, new Clip(entry, animations[index], this.joints, rest, this.joints.indexOf(traveller), findTips)]));
    findHinges(this, puppet);
    /** The joints of the upper body, by their numbers: those that hang from the hips, but not by a leg; none without legs. */
    this.upper = this.legs.length ? upperOf(this.scene, this.joints, this.legs) : [];

    /** Loops that are there in several versions, each with all of them. */
    this.versions = new Map();
    for (const clip of this.clips.values()) {
      const first = clip.entry.variant_of && this.clip(clip.entry.variant_of);
      if (first) this.versions.set(first, [...(this.versions.get(first) ?? [first]), clip]);
    }

    /** The blend spaces of the manifest, and one for each loop that stands or is in none. */
    this.spaces = (manifest.blend_spaces ?? []).map((space) => new Space(space, this.clips));
    const placed = new Set(this.spaces.flatMap(({ clips }) => clips));
    for (const clip of this.clips.values()) {
      if (!clip.loops || (placed.has(clip) && !clip.stands)) continue;
      if (this.spaces.some((space) => space.clips.length === 1 && space.clips[0] === clip)) continue;
      this.spaces.push(new Space({ name: clip.name, axes: [], points: [{ clip: clip.name, at: [] }] }, this.clips));
    }
    this.ways = this.waysBetween();
    const all = manifest.controller?.modes?.find(({ mode }) => mode === "all");
    /** Half-life of the spring by which speed and turn rate follow a goal, seconds. */
    this.halfLife = all?.velocity_half_life_secs || HALF_LIFE_SECS;
  }

  /** Ways from space to space. */
  waysBetween() {
    const ways = [];
    const add = (from, to, way) => {
      for (const left of this.spacesOf(from.clip)) {
        for (const entered of this.spacesOf(to.clip)) {
          if (way.fade && left === entered) continue;
          const [leave, enter] = [[left, from], [entered, to]].map(([space, { clip, secs }]) => ({ at: space.pointOf(clip), phase: clip.phaseAt(secs) }));
          const slides = way.fade ? slide([left, entered], [leave.at, enter.at]) : 0;
          ways.push({ ...way, from: left, to: entered, leave, enter, cost: way.cost + slides });
        }
      }
    };
    for (const passage of this.clips.values()) {
      const { from, to, kind } = passage.entry;
      // Jumps are asked for by name.
      if (passage.loops || !from || !to || kind === "jump") continue;
      const [left, entered] = [from, to].map(({ clip, secs }) => ({ clip: this.clip(clip), secs }));
      add(left, entered, { passage, cost: COSTS.passage });
    }
    for (const { from, to, leave_secs, enter_secs, fade, fade_secs } of this.manifest.transitions ?? []) {
      const [left, entered] = [{ clip: this.clip(from), secs: leave_secs }, { clip: this.clip(to), secs: enter_secs }];
      add(left, entered, { fade: { fade, fade_secs }, cost: COSTS.transition });
    }
    for (const from of this.spaces) {
      for (const to of this.spaces) {
        if (from !== to) ways.push({ fade: FADE, from, to, cost: COSTS.once + slide([from, to], [from.middle, to.middle]) });
      }
    }
    return ways;
  }

  /** The spaces in which a loop is played: what stands is played alone, also where it is a corner of slow walks. */
  spacesOf(clip) {
    return this.spaces.filter(({ clips, stands }) => clips.includes(clip) && stands === clip.stands);
  }

  clip(name) {
    const found = this.clips.get(name);
    if (!found) throw new Error(`this set has no clip ${name}; it has ${[...this.clips.keys()].join(", ")}`);
    return found;
  }

  spaceOf(clip, preferred) {
    const found = this.spacesOf(clip);
    return found.includes(preferred) ? preferred : found[0];
  }
}

/** What a change between points of spaces without a passage costs: between standing and moving, and into the other direction. */
function slide(spaces, points) {
  if (spaces[0].stands !== spaces[1].stands) return COSTS.standing;
  const [left, entered] = spaces.map((space, end) => space.twist(space.weights(points[end])).linear);
  return left.dot(entered) < 0 ? COSTS.opposed : 0;
}

function animationOf({ name, file, animation }, gltf) {
  if (!gltf?.animations) throw new Error(`${file} of the clip ${name} was not loaded`);
  const found = gltf.animations.find((clip) => clip.name === animation) ?? (gltf.animations.length === 1 ? gltf.animations[0] : null);
  if (!found) throw new Error(`${file} has no animation ${animation}, which the clip ${name} names`);
  return found;
}

/** The body of a clip at even times, with its root motion. */
class Clip {
  constructor(entry, animation, joints, rest, traveller, findTips) {
    if (!(entry.seconds > 0 && entry.seconds < Infinity)) throw new Error(`the clip ${entry.name} lasts ${entry.seconds} s`);
    Object.assign(this, { name: entry.name, entry, seconds: entry.seconds, loops: entry.kind === "loop" });
    this.warp = entry.phase?.warp ?? 0;
    this.twist = { linear: new Vector3(...(entry.twist?.linear ?? [0, 0, 0])), angular: new Vector3(...(entry.twist?.angular ?? [0, 0, 0])) };
    this.root = entry.root && new RootKeys(entry.root);
    const count = Math.max(entry.frames, 2);
    this.step = entry.seconds / count;
    // One key before the first and two after the last: what a cubic between keys needs.
    this.keys = Array.from({ length: count + 3 }, () => new Float64Array(rest));
    joints.forEach((name, joint) => {
      for (const [property, at, size] of [["position", 0, 3], ["quaternion", 3, 4]]) {
        const track = animation.tracks.find((track) => track.name === `${name}.${property}`);
        const interpolant = track?.createInterpolant(new Float32Array(size));
        if (!track) continue;
        for (let key = 0; key <= count; key += 1) {
          this.keys[key + 1].set(interpolant.evaluate(key * this.step), 7 * joint + at);
        }
      }
    });
    if (traveller >= 0) {
      for (let key = 0; key <= count; key += 1) this.takeTravelOff(this.keys[key + 1], 7 * traveller, key * this.step);
    }
    for (let key = 0; key <= count; key += 1) findTips(this.keys[key + 1]);
    this.contacts = ["left", "right"].map((side) => new Contacts(entry, side));
    if (this.loops) {
      // Of a loop the last key is the first.
      this.keys[0].set(this.keys[count]);
      this.keys[count + 1].set(this.keys[1]);
      this.keys[count + 2].set(this.keys[2]);
    }
    for (let key = 1; key < this.keys.length; key += 1) align(this.keys[key], this.keys[key - 1]);
    if (!this.loops) {
      align(this.keys[1], this.keys[2]);
      this.keys[0] = beyond(this.keys[1], this.keys[2], this.keys[3]);
      this.keys[count + 2] = beyond(this.keys[count + 1], this.keys[count], this.keys[count - 1]);
    }
    this.events = (entry.events ?? []).map((event) => ({ ...event, phase: event.phase ?? this.phaseAt(event.secs) }));
    this.stands = this.twist.linear.length() < STILL && this.twist.angular.length() < STILL;
    this.isAction = entry.leave_secs !== undefined || ["attack", "hit", "death", "gesture", "action"].includes(entry.kind);
    /** When an action may be left for a loop that moves. */
    this.leave = entry.leave_secs ?? entry.seconds;
  }

  /** The root at a time, from the clip's start. */
  rootAt(secs) {
    return this.root ? this.root.at(secs) : Rigid.along(this.twist, secs);
  }

  takeTravelOff(pose, at, secs) {
    const world = new Rigid(new Vector3().fromArray(pose, at), new Quaternion().fromArray(pose, at + 3));
    const body = this.rootAt(secs).inverse().then(world);
    body.position.toArray(pose, at);
    body.rotation.toArray(pose, at + 3);
  }

  /** The share of the time that has passed at a phase of the set. */
  shareAt(phase) {
    return shareAt(phase, this.warp);
  }

  /** The phase of the set at a time of the clip. */
  phaseAt(secs) {
    const phase = phaseAt(secs / this.seconds, this.warp);
    return phase - Math.floor(phase);
  }

  /** The four keys around a time, and their weights: cubics, of which one derivative is continuous. */
  around(secs) {
    const count = this.keys.length - 3;
    const time = secs / this.step;
    let key = Math.floor(time);
    // A little beyond its ends a passage goes on as it was.
    if (!this.loops) key = Math.min(Math.max(key, 0), count - 1);
    const u = time - key;
    key = ((key % count) + count) % count;
    return [[0, 1, 2, 3].map((next) => this.keys[key + next]), cubic(u)];
  }

  /** The tip of a foot at a time, seen from the root. */
  tip(secs, side) {
    const [keys, weights] = this.around(secs);
    const at = keys[0].length - 14 + 7 * side;
    return keys.reduce((sum, key, next) => sum.addScaledVector(new Vector3().fromArray(key, at), weights[next]), new Vector3());
  }

  /** Adds `weight` times the body at a time; rotations on the side of what is there. */
  add(secs, weight, out) {
    const [[a, b, c, d], weights] = this.around(secs);
    const [w0, w1, w2, w3] = weights.map((w) => weight * w);
    const own = [0, 0, 0, 0, 0, 0, 0];
    for (let at = 0; at < out.length; at += 7) {
      for (let part = 0; part < 7; part += 1) own[part] = w0 * a[at + part] + w1 * b[at + part] + w2 * c[at + part] + w3 * d[at + part];
      const dot = own[3] * out[at + 3] + own[4] * out[at + 4] + own[5] * out[at + 5] + own[6] * out[at + 6];
      const side = dot < 0 ? -1 : 1;
      for (let part = 0; part < 7; part += 1) out[at + part] += part < 3 ? own[part] : side * own[part];
    }
  }
}

/** The share of a loop's time at a phase: docs/math/blend.md. */
function shareAt(phase, warp) {
  return phase + warp * Math.sin(Math.PI * (phase - Math.floor(phase))) ** 2;
}

/** The phase at a share of a loop's time. Shares rise for every warp below 1/pi; Newton's steps would fail where they hardly do. 53 halvings
 * leave no digit. */
function phaseAt(share, warp) {
  const cycles = Math.floor(share);
  let [low, high] = [0, 1];
  for (let round = 0; round < 53; round += 1) {
    const middle = (low + high) / 2;
    if (shareAt(middle, warp) <= share - cycles) low = middle;
    else high = middle;
  }
  return cycles + low;
}

/** Time as a blend of loops passes: in equal times a mean of their shares passes, so that feet that stand in all loops do not slip, and a loop
 * alone plays as it was made: docs/math/blend.md. */
class Clock {
  constructor(parts) {
    this.period = parts.reduce((sum, { weight, clip }) => sum + weight * clip.seconds, 0);
    const travel = parts.map(({ clip }) => clip.twist.linear.clone().multiplyScalar(clip.seconds));
    const whole = new Vector3();
    parts.forEach(({ weight }, index) => whole.addScaledVector(travel[index], weight));
    const lengths = parts.reduce((sum, { weight }, index) => sum + weight * travel[index].length(), 0);
    const still = 0.1 * (lengths ** 2 - whole.lengthSq()) + (SLOW_MPS * this.period) ** 2;
    const warp = parts.reduce((sum, { weight, clip }, index) => {
      const counts = whole.dot(travel[index]) + (still * clip.seconds) / this.period;
      return sum + ((weight * counts) / (whole.lengthSq() + still)) * clip.warp;
    }, 0);
    this.warp = Math.min(Math.max(warp, -MOST_WARP), MOST_WARP);
  }

  /** The phase some seconds after another. */
  after(phase, secs) {
    return phaseAt(shareAt(phase, this.warp) + secs / this.period, this.warp);
  }

  /** The seconds from one phase to another. */
  secsBetween(from, to) {
    return (shareAt(to, this.warp) - shareAt(from, this.warp)) * this.period;
  }
}

/** Turns rotations of a pose onto the side of those of another: q and -q are one rotation. */
function align(pose, other) {
  for (let at = 3; at < pose.length; at += 7) {
    const dot = pose[at] * other[at] + pose[at + 1] * other[at + 1] + pose[at + 2] * other[at + 2] + pose[at + 3] * other[at + 3];
    if (dot < 0) for (let part = at; part < at + 4; part += 1) pose[part] = -pose[part];
  }
}

/** The weights of four keys at `u` from the second to the third: a cubic through these two. */
const cubic = (u) => [0.5 * u * (u * (2 - u) - 1), 0.5 * (u * u * (3 * u - 5) + 2), 0.5 * u * (u * (4 - 3 * u) + 1), 0.5 * u * u * (u - 1)];

/** The key before three, or after them backwards, on their parabola. */
const beyond = (a, b, c) => a.map((value, at) => 3 * value - 3 * b[at] + c[at]);

function normalizeRotations(pose) {
  for (let at = 3; at < pose.length; at += 7) {
    const length = Math.hypot(pose[at], pose[at + 1], pose[at + 2], pose[at + 3]) || 1;
    for (let part = at; part < at + 4; part += 1) pose[part] /= length;
  }
}

/** A rigid motion. */
class Rigid {
  constructor(position = new Vector3(), rotation = new Quaternion()) {
    this.position = position;
    this.rotation = rotation;
  }

  /** This motion, then `next` in the axes that it leads to. */
  then(next) {
    const position = next.position.clone().applyQuaternion(this.rotation).add(this.position);
    return new Rigid(position, this.rotation.clone().multiply(next.rotation).normalize());
  }

  inverse() {
    const rotation = this.rotation.clone().conjugate();
    return new Rigid(this.position.clone().negate().applyQuaternion(rotation), rotation);
  }

  /** exp(t twist) in closed form: a screw, for any time. */
  static along({ linear, angular }, secs) {
    const turn = angular.clone().multiplyScalar(secs);
    const angle = turn.length();
    // sin(a)/a, (1 - cos a)/a^2 and (a - sin a)/a^3, by series where they would lose digits.
    const small = angle < 1e-3;
    const first = small ? 1 - angle ** 2 / 6 : Math.sin(angle) / angle;
    const second = small ? 0.5 - angle ** 2 / 24 : (2 * Math.sin(angle / 2) ** 2) / angle ** 2;
    const third = small ? 1 / 6 - angle ** 2 / 120 : (1 - first) / angle ** 2;
    const way = linear.clone().multiplyScalar(secs);
    const across = turn.clone().cross(way);
    const position = way.add(across.clone().multiplyScalar(second)).add(turn.clone().cross(across).multiplyScalar(third));
    return new Rigid(position, exp(turn));
  }
}

/** The rotation of a rotation vector. */
function exp(vector) {
  const angle = vector.length();
  const scale = angle < 1e-6 ? 0.5 : Math.sin(angle / 2) / angle;
  return new Quaternion(vector.x * scale, vector.y * scale, vector.z * scale, Math.cos(angle / 2)).normalize();
}

/** The rotation vector of a rotation, on the short side. */
function log({ x, y, z, w }) {
  const sine = Math.hypot(x, y, z);
  const scale = (w < 0 ? -1 : 1) * (sine < 1e-9 ? 2 : (2 * Math.atan2(sine, Math.abs(w))) / sine);
  return new Vector3(x * scale, y * scale, z * scale);
}

/** The root of a passage, by its keys. */
class RootKeys {
  constructor({ secs, translation, rotation }) {
    this.secs = secs;
    this.rows = secs.map((_, key) => [...translation.slice(3 * key, 3 * key + 3), ...rotation.slice(4 * key, 4 * key + 4)]);
    this.rows.forEach((row, key) => key && align(row, this.rows[key - 1]));
    const { rows } = this;
    const last = rows.length - 1;
    const whole = rows.length > 2;
    this.padded = [whole ? beyond(rows[0], rows[1], rows[2]) : rows[0], ...rows];
    this.padded.push(whole ? beyond(rows[last], rows[last - 1], rows[last - 2]) : rows[last]);
  }

  at(secs) {
    const last = this.rows.length - 1;
    if (last < 1) return new Rigid();
    const step = (this.secs[last] - this.secs[0]) / last;
    const time = (secs - this.secs[0]) / step;
    const key = Math.min(Math.max(Math.floor(time), 0), last - 1);
    const u = time - key;
    const mixed = [0, 0, 0, 0, 0, 0, 0];
    cubic(u).forEach((weight, next) => this.padded[key + next].forEach((value, at) => (mixed[at] += weight * value)));
    return new Rigid(new Vector3(...mixed.slice(0, 3)), new Quaternion(...mixed.slice(3)).normalize());
  }
}

/** Loops over axes such as speed and turn rate: any point between them has weights. */
class Space {
  constructor({ name, axes, points, triangles = [] }, clips) {
    Object.assign(this, { name, axes });
    this.points = points.map(({ at }) => at);
    this.clips = points.map(({ clip }) => {
      if (!clips.has(clip)) throw new Error(`the blend space ${name} has the clip ${clip}, which the set has not`);
      return clips.get(clip);
    });
    const extents = axes.map((_, axis) => {
      const values = this.points.map((at) => at[axis]);
      return Math.max(...values) - Math.min(...values);
    });
    const least = axes.map((name) => (name.endsWith("_mps") ? LEAST_RANGE.mps : LEAST_RANGE.degrees));
    this.scale = extents.map((extent, axis) => Math.max(extent, least[axis]));
    const axis = extents[1] / least[1] > extents[0] / least[0] ? 1 : 0;
    this.simplices = triangles.length ? triangles : this.line(axis);
    /** The axis of loops on a line: of two lines that bend, the nearest point would jump. */
    this.along = triangles.length ? null : axis;
    /** How far such a line bends, as a share of the range of the other axis. */
    this.bends = triangles.length || axes.length < 2 ? 0 : extents[1 - axis] / this.scale[1 - axis];
    this.stands = this.clips.every(({ stands }) => stands);
    // Versions of a loop stand in for it, or are played by their names.
    this.isVariant = this.clips.every(({ entry }) => entry.variant_of);
  }

  /** Points of a line follow each other along the axis on which they are farthest apart. */
  line(axis) {
    const order = this.points.map((_, index) => index);
    order.sort((a, b) => this.points[a][axis] - this.points[b][axis]);
    return order.length === 1 ? [[0]] : order.slice(1).map((index, before) => [order[before], index]);
  }

  /** A goal on the axes. */
  place({ speed, turnRate, direction, climb }) {
    const values = {
      speed_mps: speed,
      turn_rate_dps: turnRate / DEGREES,
      direction_deg: direction / DEGREES,
      climb_mps: climb,
      forward_mps: speed * Math.cos(direction),
      left_mps: speed * Math.sin(direction),
    };
    return this.axes.map((axis) => values[axis] ?? 0);
  }

  /** Loops and their weights at a point, or at the nearest one inside: `share` of the time, so that speed and turn rate are those asked for,
   * and `weight` of the pose. */
  weights(at) {
    let best = { distance: Infinity };
    for (const simplex of this.simplices) {
      const found = this.nearest(simplex, at);
      if (found.distance < best.distance) best = found;
    }
    const parts = best.simplex
      .map((index, corner) => ({ clip: this.clips[index], at: this.points[index], share: best.shares[corner] }))
      .filter(({ share }) => share > LEAST_SHARE);
    const [shares, whole] = [({ share }) => share, ({ share, clip }) => share / clip.seconds].map((of) => parts.reduce((sum, part) => sum + of(part), 0));
    for (const part of parts) {
      part.weight = part.share / part.clip.seconds / whole;
      part.share /= shares;
    }
    return parts;
  }

  nearest(simplex, at) {
    const scaled = (at) => at.map((value, axis) => (this.along === null || this.along === axis ? value / this.scale[axis] : 0));
    const corners = simplex.map((index) => scaled(this.points[index]));
    const wanted = scaled(at);
    const distance = (shares) =>
      Math.hypot(...wanted.map((value, axis) => value - corners.reduce((sum, corner, index) => sum + shares[index] * corner[axis], 0)));
    if (simplex.length === 3) {
      const [[ax, ay], [bx, by], [cx, cy]] = corners;
      const area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
      const second = ((wanted[0] - ax) * (cy - ay) - (cx - ax) * (wanted[1] - ay)) / area;
      const third = ((bx - ax) * (wanted[1] - ay) - (wanted[0] - ax) * (by - ay)) / area;
      const shares = [1 - second - third, second, third];
      if (shares.every((share) => share >= 0)) return { simplex, shares, distance: 0 };
    }
    let best = { simplex, shares: simplex.map((_, index) => (index === 0 ? 1 : 0)) };
    best.distance = distance(best.shares);
    for (let i = 0; i < simplex.length; i += 1) {
      for (let j = i + 1; j < simplex.length; j += 1) {
        const way = corners[j].map((value, axis) => value - corners[i][axis]);
        const square = way.reduce((sum, value) => sum + value * value, 0);
        const along = way.reduce((sum, value, axis) => sum + value * (wanted[axis] - corners[i][axis]), 0) / (square || 1);
        const u = Math.min(Math.max(along, 0), 1);
        const shares = simplex.map((_, index) => (index === i ? 1 - u : index === j ? u : 0));
        const found = { simplex, shares, distance: distance(shares) };
        if (found.distance < best.distance) best = found;
      }
    }
    return best;
  }

  twist(parts) {
    const twist = { linear: new Vector3(), angular: new Vector3() };
    for (const { clip, share } of parts) {
      twist.linear.addScaledVector(clip.twist.linear, share);
      twist.angular.addScaledVector(clip.twist.angular, share);
    }
    return twist;
  }

  /** The nearest point that the loops cover. */
  covered(at) {
    const parts = this.weights(at);
    return at.map((_, axis) => parts.reduce((sum, part) => sum + part.share * part.at[axis], 0));
  }

  /** A goal as far as the loops can meet it at its speed: what they cannot meet of the turn is dropped, and only then of the direction. The nearest point
   * to a faster turn may otherwise be a faster run, and a run that turns, mixed with an idle, stand in for a walk. */
  met(goal) {
    const off = (goal) => {
      const at = this.place(goal);
      return this.distance(this.covered(at), at);
    };
    const along = (turned, aside) => ({ ...goal, turnRate: turned * goal.turnRate, direction: aside * goal.direction });
    const standing = (goal) => this.weights(this.place(goal)).reduce((sum, { clip, share }) => sum + (clip.stands ? share : 0), 0);
    // A speed that no loop has must not limit the rest.
    const least = off(along(0, 0)) + this.bends + 0.02;
    const most = (of, stands) => {
      const isThere = (share) => off(of(share)) <= least && standing(of(share)) <= stands;
      if (isThere(1)) return 1;
      let [low, high] = [0, 1];
      for (let round = 0; round < 12; round += 1) {
        const middle = (low + high) / 2;
        if (isThere(middle)) low = middle;
        else high = middle;
      }
      return low;
    };
    const aside = most((share) => along(0, share), 1);
    const stands = standing(along(0, aside)) + MOST_STANDING;
    return along(most((share) => along(share, aside), stands), aside);
  }

  /** How far the blend at a goal, as far as it can be met, is from it, metres per second. */
  misses(goal) {
    const { linear, angular } = this.twist(this.weights(this.place(this.met(goal))));
    const wanted = new Vector3(Math.sin(goal.direction) * goal.speed, 0, Math.cos(goal.direction) * goal.speed);
    return wanted.sub(linear).setY(0).length() + 0.3 * Math.abs(goal.turnRate - angular.y);
  }

  /** The mean of its points. */
  get middle() {
    return this.axes.map((_, axis) => this.points.reduce((sum, at) => sum + at[axis], 0) / this.points.length);
  }

  /** The point nearest to standing. */
  get slowest() {
    return this.covered(this.axes.map(() => 0));
  }

  pointOf(clip) {
    return this.points[this.clips.indexOf(clip)];
  }

  distance(a, b) {
    return Math.hypot(...a.map((value, axis) => (value - b[axis]) / this.scale[axis]));
  }
}

/** A blend space as it plays: its point follows a goal as a critically damped spring, and all its loops are at one phase. */
class Cycle {
  constructor(space, at, phase) {
    Object.assign(this, { space, at: [...at], phase });
    this.goal = [...at];
    this.rate = at.map(() => 0);
    /** The versions that stand in for loops. */
    this.chosen = new Map();
  }

  get stands() {
    return this.space.stands;
  }

  state(secs) {
    const parts = this.space.weights(this.at.map((value, axis) => value + this.rate[axis] * secs));
    for (const part of parts) part.clip = this.chosen.get(part.clip) ?? part.clip;
    return { parts, clock: new Clock(parts) };
  }

  /** The body some seconds from now, if the point goes on as it does. */
  body(secs, out) {
    const { parts, clock } = this.state(secs);
    const phase = clock.after(this.phase, secs);
    out.fill(0);
    for (const { clip, weight } of parts) clip.add(clip.shareAt(phase) * clip.seconds, weight, out);
    normalizeRotations(out);
  }

  /** The root some seconds from now, seen from where it is. */
  rootStep(secs) {
    return Rigid.along(this.space.twist(this.state(0.5 * secs).parts), secs);
  }

  secsTo(phase) {
    const away = (((phase - this.phase) % 1) + 1) % 1;
    return this.state(0).clock.secsBetween(this.phase, this.phase + away);
  }

  /** The same with other versions of its loops, at the start of a cycle. */
  varied(versions, random) {
    const next = new Cycle(this.space, this.at, 0);
    Object.assign(next, { rate: [...this.rate], goal: [...this.goal] });
    for (const clip of this.space.clips) {
      const others = versions.get(clip);
      if (others) next.chosen.set(clip, others[Math.floor(random() * others.length)]);
    }
    return next;
  }

  advance(secs, halfLife, report) {
    const middle = this.state(0.5 * secs);
    const [before, after] = [this.phase, middle.clock.after(this.phase, secs)];
    const decay = (2 * Math.LN2) / halfLife;
    const fade = Math.exp(-decay * secs);
    this.at.forEach((value, axis) => {
      const x = value - this.goal[axis];
      const v = this.rate[axis] + decay * x;
      this.at[axis] = this.goal[axis] + (x + v * secs) * fade;
      this.rate[axis] = (this.rate[axis] - decay * v * secs) * fade;
    });
    const loudest = middle.parts.reduce((best, part) => (part.weight > best.weight ? part : best)).clip;
    for (const event of loudest.events) {
      // The first time at or after `before` at which the event's phase comes, if it comes within the step.
      const cycles = Math.ceil(before - event.phase);
      const at = event.phase + cycles;
      if (at < after) report(event, loudest, middle.clock.secsBetween(at, after));
    }
    this.phase = after - Math.floor(after);
  }
}

/** A passage as it plays. */
class Once {
  constructor(clip) {
    Object.assign(this, { clip, secs: 0 });
  }

  get left() {
    return this.clip.seconds - this.secs;
  }

  body(secs, out) {
    out.fill(0);
    this.clip.add(this.held(secs), 1, out);
    normalizeRotations(out);
  }

  /** The time some seconds from now; it goes on hardly beyond the end. */
  held(secs) {
    return Math.min(this.secs + secs, this.clip.seconds + STEP);
  }

  rootStep(secs) {
    return this.clip.rootAt(this.secs).inverse().then(this.clip.rootAt(this.held(secs)));
  }

  advance(secs, _halfLife, report) {
    const after = this.secs + secs;
    for (const event of this.clip.events) {
      if (event.secs >= this.secs && event.secs < after) report(event, this.clip, after - event.secs);
    }
    this.secs = this.held(secs);
  }
}

/** An action of which the upper body plays over a source. */
class Over {
  constructor(clip, joints) {
    Object.assign(this, { clip, joints, secs: 0 });
  }

  get left() {
    return Math.max(this.clip.leave - this.secs, 0);
  }

  /** Puts the upper body some seconds from now into a pose. */
  lay(secs, out) {
    const own = new Float64Array(out.length);
    this.clip.add(this.secs + secs, 1, own);
    normalizeRotations(own);
    for (const joint of this.joints) out.set(own.subarray(7 * joint, 7 * joint + 7), 7 * joint);
  }
}

/** How offsets of value, rate and acceleration fade, and the area under the first: the closure shapes of docs/math/shapes.md. */
function fading({ fade, fade_secs: blend }, secs) {
  if (fade === "spring") {
    const rate = (2 * Math.LN2) / blend;
    const left = Math.exp(-rate * secs);
    return {
      left: [(1 + rate * secs) * left, secs * left, 0],
      area: (2 - (2 + rate * secs) * left) / rate,
    };
  }
  const u = Math.min(secs / (blend || 1e-9), 1);
  const rest = 1 - u;
  if (fade === "cubic") {
    return {
      left: [rest ** 2 * (1 + 2 * u), blend * u * rest ** 2, 0],
      area: blend * u * (1 - u ** 2 + u ** 3 / 2),
    };
  }
  return {
    left: [rest ** 3 * (1 + 3 * u + 6 * u * u), blend * u * rest ** 3 * (1 + 3 * u), 0.5 * (blend * u) ** 2 * rest ** 3],
    area: blend * u * (1 - 2.5 * u ** 3 + 3 * u ** 4 - u ** 5),
  };
}

/** What a switch leaves between the motion that was seen and the one that follows, which fades: it meets in value, rate and, as a quintic, in
 * acceleration. Rotations as rotation vectors. The root has no value to fade, it goes on from where it is: its rate fades without overshoot. */
class Offset {
  /** `gaps`: the differences a step before, at, and a step after the switch; `twist`: that of the rates of the root. */
  constructor(gaps, twist, fade) {
    this.fade = fade;
    this.secs = 0;
    this.body = terms(gaps);
    this.twist = twist;
  }

  static none(joints) {
    const zeros = [0, 1, 2].map(() => new Float64Array(6 * joints));
    return new Offset(zeros, { linear: new Vector3(), angular: new Vector3() }, { ...FADE, fade_secs: 0 });
  }

  get isOver() {
    return this.secs >= this.fade.fade_secs * (this.fade.fade === "spring" ? 20 : 1);
  }

  /** Adds what is left some seconds from now to a body. */
  addTo(body, secs) {
    if (this.isOver) return;
    const { left } = fading(this.fade, this.secs + secs);
    const turn = new Quaternion();
    const own = new Quaternion();
    for (let at = 0, from = 0; at < body.length; at += 7, from += 6) {
      const value = (part) => left[0] * this.body[0][part] + left[1] * this.body[1][part] + left[2] * this.body[2][part];
      for (let axis = 0; axis < 3; axis += 1) body[at + axis] += value(from + axis);
      turn.copy(exp(new Vector3(value(from + 3), value(from + 4), value(from + 5))));
      turn.multiply(own.fromArray(body, at + 3)).toArray(body, at + 3);
    }
  }

  /** Half of what the fading rate adds to the root within some seconds from now. */
  halfStep(secs) {
    if (this.isOver) return new Rigid();
    return Rigid.along(this.twist, 0.5 * (fading(this.fade, this.secs + secs).area - fading(this.fade, this.secs).area));
  }
}

/** Value, rate and acceleration from three values a step apart. */
function terms([before, here, after]) {
  return [here, here.map((_, at) => (after[at] - before[at]) / (2 * STEP)), here.map((value, at) => (after[at] - 2 * value + before[at]) / STEP ** 2)];
}

/** The difference of two bodies: six numbers a joint. */
function gap(seen, next) {
  const found = new Float64Array((seen.length / 7) * 6);
  const [q, p] = [new Quaternion(), new Quaternion()];
  for (let at = 0, to = 0; at < seen.length; at += 7, to += 6) {
    for (let axis = 0; axis < 3; axis += 1) found[to + axis] = seen[at + axis] - next[at + axis];
    log(q.fromArray(seen, at + 3).multiply(p.fromArray(next, at + 3).conjugate())).toArray(found, to + 3);
  }
  return found;
}

/**
 * A character that plays a set. Its events: `strike` and `lift` with `foot`, `clip` and `late`, the seconds that have passed since; `switch` with
 * `from`, `to` and `fade_secs`, at every switch of clips or blend spaces.
 */
export class LoopwrightCharacter extends EventDispatcher {
  /** `model`: a body with joints of the set's names; without one a copy of the set's own. `clip`: the loop to begin with, by its name; without one
   * the character stands, if the set has a loop for that. `seed`: of the order in which versions of loops follow each other. */
  constructor(set, { model = clone(set.scene), clip, seed = 1 } = {}) {
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
    const first = clip ? set.spaceOf(set.clip(clip)) : (set.spaces.find(({ stands }) => stands) ?? set.spaces[0]);
    if (!first) throw new Error("this set has no loop to begin with");
    const at = clip ? first.pointOf(set.clip(clip)) : first.slowest;
    /** The longest time that a switch between moving loops waits for the moment at which it shows least, seconds. */
    this.patience = 0.3;
    /** Whether versions of loops follow each other. */
    this.varies = true;
    this.source = new Cycle(first, at, 0);
    /** The action that plays over the source. */
    this.over = null;
    /** The root since the beginning, without what the game added. */
    this.root = new Rigid();
    this.offset = Offset.none(set.joints.length + set.legs.length);
    /** Seconds played. */
    this.secs = 0;
    this.random = generator(seed);
    this.goal = { speed: 0, turnRate: 0, direction: 0, climb: 0, turn: 0 };
    /** The goal as far as the loops can meet it: turns that they lack are dropped first, then directions. */
    this.met = this.goal;
    this.plan = null;
    this.before = null;
    this.last = {};
    this.pose = new Float64Array(7 * (set.joints.length + set.legs.length));
    /** Whether feet are held where they stand. */
    this.holdsFeet = true;
    this.hold = new Hold(this);
    this.goesOn = [this.pose, 0, 0].map(() => new Float64Array(this.pose.length));
    this.seen = this.root;
    this.setGoal(motionOf(this.source));
    this.show();
  }

  /** The root some seconds from now. What fades comes half before and half after the source's own step, so that frame rates agree. */
  rootAt(secs) {
    const half = this.offset.halfStep(secs);
    return this.root.then(half).then(this.source.rootStep(secs)).then(half);
  }

  /** What plays: a clip, or a blend space with its point, and the phase of the set. */
  get playing() {
    const { source } = this;
    const over = this.over && { clip: this.over.clip.name, secs: this.over.secs };
    return source instanceof Once
      ? { clip: source.clip.name, secs: source.secs, over }
      : { over, space: source.space.name, at: [...source.at], phase: source.phase, clips: source.state(0).parts.map(({ clip, weight }) => ({ clip: clip.name, weight })) };
  }

  /** What the character shall do. What is left out stays. Speed in metres per second over the ground; turn rate in radians per second, and
   * direction of travel against where the body faces in radians, to the left positive; `turn`, radians: once, by a passage that turns. */
  setGoal(goal) {
    if (Object.entries(goal).every(([key, value]) => this.goal[key] === value)) return;
    Object.assign(this.goal, goal);
    this.before = this.plan ?? this.before;
    this.plan = undefined;
  }

  /** Plays a clip once by its name, such as a jump or an attack, or goes into a loop, at once; with `over` the upper body of a clip plays over what
   * goes on. After an action the character goes on towards its goal; in one that ends as nothing begins, such as a death, it stays. */
  play(name, { over = false } = {}) {
    const clip = this.set.clip(name);
    if (over && !clip.loops && this.set.upper.length) {
      this.switchTo(this.source, ACTION_FADE, new Over(clip, this.set.upper));
      return;
    }
    if (clip.loops) {
      const space = this.set.spaceOf(clip);
      const at = space.pointOf(clip);
      this.switchTo(new Cycle(space, at, this.source.phase ?? 0), FADE, null);
    } else this.switchTo(new Once(clip), clip.isAction ? ACTION_FADE : FADE, null);
    this.plan = null;
  }

  /** Goes on by some seconds. */
  update(delta) {
    let left = delta;
    // A passage may end and the next begin within a step, and versions of a loop follow each other.
    for (let round = 0; round < 16; round += 1) {
      if (this.plan === undefined && this.source instanceof Cycle) this.plan = this.planned();
      const due = Math.min(this.due(), this.over?.left ?? Infinity);
      const step = Math.min(left, due);
      if (step > 0) this.advance(step);
      left -= step;
      if (due > step || !(left >= 0)) break;
      this.leave();
    }
    // So long a step has more ends of cycles than that.
    if (left > 0 && this.source instanceof Cycle) this.advance(left);
    this.show(delta);
  }

  /** Seconds to the next switch. */
  due() {
    if (this.source instanceof Once) {
      const { clip, secs, left } = this.source;
      if (!clip.isAction) return Math.max(left, 0);
      return this.followers(clip).length ? Math.max((this.isStill ? clip.seconds : clip.leave) - secs, 0) : Infinity;
    }
    if (!this.plan) {
      const hasVersions = this.varies && this.source.space.clips.some((clip) => this.set.versions.has(clip));
      return hasVersions ? this.source.secsTo(0) || this.source.state(0).clock.period : Infinity;
    }
    if (!this.plan.leave || this.source.stands) return 0;
    const secs = this.source.secsTo(this.plan.leave.phase);
    const isThere = this.isNear(this.plan.leave) || this.plan.waited > MOST_CYCLES;
    return isThere ? secs : secs + this.source.state(0).clock.period;
  }

  get isStill() {
    return Math.abs(this.goal.speed) < STILL && Math.abs(this.goal.turnRate) < STILL;
  }

  /** The states of loops that may follow an action. */
  followers({ entry }) {
    return (entry.next ?? []).map(({ clip, secs }) => ({ clip: this.set.clip(clip), secs })).filter(({ clip }) => clip.loops);
  }

  /** The loops towards the goal that may follow an action, in the state of the nearest of them. */
  afterAction(action) {
    const space = this.suiting(null);
    this.heading = space;
    const followers = this.followers(action);
    const at = space.covered(space.place(space.met(this.goal)));
    const inSpace = followers.filter(({ clip }) => this.set.spaceOf(clip, space) === space);
    const nearest = least(inSpace, ({ clip }) => space.distance(at, space.pointOf(clip)));
    if (nearest) return new Cycle(space, at, nearest.clip.phaseAt(nearest.secs));
    const { clip, secs } = followers[0];
    const other = this.set.spaceOf(clip, space);
    return new Cycle(other, other.pointOf(clip), clip.phaseAt(secs));
  }

  isNear({ at }) {
    return this.source.space.distance(this.source.at, at) < NEAR;
  }

  advance(secs) {
    const end = this.secs + secs;
    const report = (event, clip, late) => {
      const key = `${event.kind} ${event.foot}`;
      if (Math.abs(end - late - (this.last[key] ?? -Infinity)) < SAME_EVENT_SECS) return;
      this.last[key] = end - late;
      this.dispatchEvent({ type: event.kind, foot: event.foot, clip: clip.name, secs: end - late, late });
    };
    const [before, from] = [this.root, this.source.phase ?? this.source.secs];
    this.root = this.rootAt(secs);
    this.source.advance(secs, this.set.halfLife, report);
    if (this.over) this.over.secs += secs;
    if (this.holdsFeet) this.hold.follow(before.inverse().then(this.root), this.taking(from));
    this.offset.secs += secs;
    this.secs = end;
    if (this.plan) this.plan.waited += secs / this.source.state(0).clock.period;
  }

  leave() {
    if (this.over && this.over.left < NOW_SECS) {
      this.switchTo(this.source, ACTION_FADE, null);
      return;
    }
    if (this.source instanceof Once && this.source.clip.isAction) {
      this.switchTo(this.afterAction(this.source.clip), ACTION_FADE);
      this.plan = undefined;
      return;
    }
    if (this.source instanceof Once) {
      const { to } = this.source.clip.entry;
      const turned = (this.source.clip.entry.turn_deg ?? 0) * DEGREES;
      // What is left of a turn is turned by another if that brings it nearer.
      if (this.goal.turn) this.goal.turn = Math.abs(this.goal.turn - turned) < 0.5 * Math.abs(turned) ? 0 : this.goal.turn - turned;
      // Without a loop that it leads to it goes on as a character begins where nothing stands.
      const clip = to && this.set.clip(to.clip);
      const space = clip ? this.set.spaceOf(clip, this.heading) : this.set.spaces[0];
      this.switchTo(clip ? new Cycle(space, space.pointOf(clip), clip.phaseAt(to.secs)) : new Cycle(space, space.slowest, 0), FADE);
      this.plan = undefined;
      return;
    }
    const { plan } = this;
    if (!plan) {
      const next = this.source.varied(this.set.versions, this.random);
      if (next.state(0).parts.some(({ clip }, index) => clip !== this.source.state(0).parts[index]?.clip)) this.switchTo(next, FADE);
      else this.source.phase = 0;
      return;
    }
    this.plan = undefined;
    if (plan.passage) this.switchTo(new Once(plan.passage), FADE);
    else if (plan.enter) this.switchTo(new Cycle(plan.to, plan.enter.at, plan.enter.phase), plan.fade);
    else {
      const at = plan.to.covered(plan.to.place(motionOf(this.source)));
      this.switchTo(new Cycle(plan.to, at, this.source.phase), plan.fade);
    }
  }

  /** The space that suits the goal; the one that plays is kept where it is about as near. */
  suiting(here) {
    const { goal, set, isStill } = this;
    const fit = set.spaces.filter(({ stands, isVariant }) => stands === isStill && !isVariant);
    const cost = (space) => space.misses(goal) - (space === here ? 0.05 : 0);
    return (fit.length ? fit : set.spaces).reduce((best, space) => (cost(space) < cost(best) ? space : best));
  }

  /** What comes next for the goal; null where the blend space that plays has it. */
  planned() {
    const { goal, set, source } = this;
    const here = source.space;
    const wanted = this.suiting(here);
    this.heading = wanted;
    this.met = wanted.met(goal);
    const ways = set.ways.filter((way) => way.from !== here || this.isInTime(way));
    if (goal.turn) {
      const leads = ({ from, to }) => from === here && to.stands === wanted.stands;
      const turns = ways.filter((way) => way.passage?.entry.turn_deg && leads(way) && this.turns(way.passage) < Math.abs(goal.turn));
      const toWanted = turns.filter(({ to }) => to === wanted);
      const best = least(toWanted.length ? toWanted : turns, ({ passage }) => this.turns(passage));
      if (best) return this.begun(best);
      goal.turn = 0;
    }
    source.goal = here.covered(here.place(here.met(goal)));
    if (wanted === here) return null;
    // The cheapest way over spaces, as by Dijkstra; there are a handful.
    const reached = new Map([[here, { cost: 0 }]]);
    const open = [here];
    while (open.length) {
      open.sort((a, b) => reached.get(a).cost - reached.get(b).cost);
      const space = open.shift();
      if (space === wanted) break;
      for (const way of ways.filter(({ from }) => from === space)) {
        const unasked = (way.passage ? UNASKED.turn * this.turns(way.passage) : 0) + (way.to.stands && !wanted.stands ? UNASKED.stand : 0);
        const cost = reached.get(space).cost + way.cost + 0.1 * this.aside(way) + unasked;
        if (cost >= (reached.get(way.to)?.cost ?? Infinity)) continue;
        if (!reached.has(way.to)) open.push(way.to);
        reached.set(way.to, { cost, first: reached.get(space).first ?? way });
      }
    }
    return this.begun(reached.get(wanted).first);
  }

  /** Whether a way can be gone from here now: what only fades between moving loops does not wait long. */
  isInTime({ fade, leave }) {
    return !fade || !leave || this.source.stands || (this.isNear(leave) && this.source.secsTo(leave.phase) <= this.patience);
  }

  /** How far a passage's turn is from the wanted one. */
  turns({ entry }) {
    return Math.abs((entry.turn_deg ?? 0) * DEGREES - this.goal.turn);
  }

  /** How far a way lies from where the character is, and from the goal. */
  aside({ from, to, leave, enter }) {
    const left = from === this.source.space && leave ? from.distance(this.source.at, leave.at) : 0;
    const entered = enter ? to.distance(to.covered(to.place(this.met)), enter.at) : 0;
    return Math.min(left, 2) + Math.min(entered, 2);
  }

  begun(way) {
    if (way.leave && !this.source.stands) this.source.goal = [...way.leave.at];
    // A goal that changes in every frame does not make it wait anew.
    return { ...way, way, waited: this.before?.way === way ? this.before.waited : 0 };
  }

  /** The body of a source some seconds from now, with what plays over it. */
  body(source, over, secs, out) {
    source.body(secs, out);
    over?.lay(secs, out);
  }

  /** Goes on with another source, and another action over it, from here: what is seen meets it in value, rate and acceleration. */
  switchTo(next, fade, over = this.over) {
    const steps = [-STEP, 0, STEP];
    const seen = steps.map((secs) => {
      const body = new Float64Array(this.pose.length);
      this.body(this.source, this.over, secs, body);
      this.offset.addTo(body, secs);
      return body;
    });
    const gaps = seen.map((body, index) => {
      this.body(next, over, steps[index], this.goesOn[index]);
      return gap(body, this.goesOn[index]);
    });
    const [rate, own] = [this.source, next].map((source) => {
      const { position, rotation } = source.rootStep(-STEP).inverse().then(source.rootStep(STEP));
      return { linear: position.divideScalar(2 * STEP), angular: log(rotation).divideScalar(2 * STEP) };
    });
    const left = this.offset.isOver ? 0 : fading(this.offset.fade, this.offset.secs).left[0];
    for (const part of ["linear", "angular"]) rate[part].addScaledVector(this.offset.twist[part], left).sub(own[part]);
    this.before = null;
    const name = (source) => (source instanceof Once ? source.clip.name : source.space.name);
    const from = this.over && !over ? this.over.clip.name : name(this.source);
    const to = over && !this.over ? over.clip.name : name(next);
    this.offset = new Offset(gaps, rate, fade);
    [this.source, this.over] = [next, over];
    this.dispatchEvent({ type: "switch", from, to, secs: this.secs, fade_secs: fade.fade_secs });
  }

  /** The clips that play with their weights and times: those from which they have come, and now. */
  taking(from) {
    if (this.source instanceof Once) return [{ clip: this.source.clip, weight: 1, secs: [from, this.source.secs] }];
    const { phase } = this.source;
    // A cycle may have ended meanwhile.
    const phases = [from, phase + Math.max(Math.ceil(from - phase), 0)];
    return this.source.state(0).parts.map(({ clip, weight }) => ({ clip, weight, secs: phases.map((at) => clip.shareAt(at) * clip.seconds) }));
  }

  show(secs = 0) {
    this.body(this.source, this.over, 0, this.pose);
    this.offset.addTo(this.pose, 0);
    putOn(this.nodes, this.pose);
    const { position, rotation } = this.seen.inverse().then(this.root);
    this.seen = this.root;
    this.object.position.add(position.applyQuaternion(this.object.quaternion));
    this.object.quaternion.multiply(rotation).normalize();
    if (this.holdsFeet) this.hold.apply(this.taking(this.source.phase ?? this.source.secs), secs);
    else if (!this.hold.isNew) this.hold.letGo();
  }
}

/** Puts a pose on nodes. */
function putOn(nodes, pose) {
  nodes.forEach((node, joint) => {
    node?.position.fromArray(pose, 7 * joint);
    node?.quaternion.fromArray(pose, 7 * joint + 3);
  });
}

/** How feet are held while loops mix and switches fade. Seconds: of taking and giving up a place; half-lives of a correction once the foot has lifted, of the
 * body that takes half of what standing feet are moved, and of hips that lower for a leg that lacks length; of a step. Shares of a leg: the most of the
 * body and of the hips; corrections after which a foot steps, while the other stands or in any case, and the most. Metres: so near to its height a foot
 * stands in a fade; corrections that do nothing, and that are made in full; what falling short costs as much as a radian of the knee. */
const HOLD = { grip: 0.033, release: 0.08, body: 0.15, lowered: 0.05, step: 0.3, mostBody: 0.1, mostLowered: 0.05, stepShare: 0.18, stepAnyway: 0.29, most: 0.36,
  touching: 0.015, nothing: 2e-4, whole: 0.003, give: 0.05, standing: 0.15, leastBend: 0.01, softBend: 0.03 };

/** The left and the right leg, as the names of their nodes; none without two. */
function legsOf(scene, { hips, left_foot, right_foot }) {
  const find = (name) => name && scene.getObjectByName(PropertyBinding.sanitizeNodeName(name));
  scene.updateMatrixWorld(true);
  const legs = [left_foot, right_foot].map((name) => {
    const [chain, top] = [[], find(hips)];
    let node = find(name);
    for (; node && node !== top; node = node.parent) chain.unshift(node);
    const places = chain.map((joint) => joint.getWorldPosition(new Vector3()));
    const bones = places.slice(1).map((place, index) => place.distanceTo(places[index]));
    // A short last bone is a foot.
    const ankle = bones.at(-1) < 0.5 * Math.max(...bones) ? bones.length - 1 : bones.length;
    const length = (from, to) => bones.slice(from, to).reduce((sum, bone) => sum + bone, 0);
    const thigh = bones.findIndex((bone) => bone > 0.2 * length(0, ankle));
    const halves = (knee) => Math.min(length(thigh, knee), length(knee, ankle));
    const knees = bones.map((_, knee) => knee).filter((knee) => knee > thigh && knee < ankle);
    if (!node || thigh < 0 || !knees.length) return null;
    const knee = knees.reduce((best, at) => (halves(at) > halves(best) ? at : best));
    const [tip] = chain.slice(-1);
    return { hips: top.name, thigh: chain[thigh].name, knee: chain[knee].name, ankle: chain[ankle].name, tip: tip.name, length: length(thigh, ankle) };
  });
  return legs.every((leg) => leg) ? legs : [];
}

/** The numbers of the joints below the hips that are of no leg. */
function upperOf(scene, joints, legs) {
  const hips = scene.getObjectByName(legs[0].hips);
  const branch = (name) => {
    let node = scene.getObjectByName(name);
    while (node && node.parent !== hips) node = node.parent;
    return node;
  };
  const ofLegs = legs.map(({ tip }) => branch(tip));
  return joints.map((_, joint) => joint).filter((joint) => branch(joints[joint]) && !ofLegs.includes(branch(joints[joint])));
}

/** Finds the axes about which the knees bend over a loop that moves, seen from the nodes above them. */
function findHinges({ legs, clips, joints }, puppet) {
  const loop = [...clips.values()].find(({ loops, stands }) => loops && !stands) ?? [...clips.values()][0];
  for (const leg of legs) {
    const [thigh, knee, ankle] = [leg.thigh, leg.knee, leg.ankle].map((name) => puppet.getObjectByName(name));
    leg.hinge = new Vector3();
    for (const key of loop.keys.slice(1, -2)) {
      putOn(joints.map((name) => puppet.getObjectByName(name)), key);
      puppet.updateMatrixWorld(true);
      const [a, b, c] = [thigh, knee, ankle].map((node) => node.getWorldPosition(new Vector3()));
      const back = knee.parent.getWorldQuaternion(new Quaternion()).conjugate();
      leg.hinge.add(b.clone().sub(a).cross(c.sub(b)).applyQuaternion(back));
    }
    leg.hinge.normalize();
  }
}

/** When a foot stands in a clip: spans of its time; null all the time. */
class Contacts {
  constructor({ events = [], seconds, kind }, side) {
    this.period = kind === "loop" ? seconds : 0;
    const own = events.filter(({ foot }) => foot === side);
    const spans = [];
    for (const { kind, secs } of own) {
      if (kind === "strike") spans.push([secs, Infinity]);
      else if (spans.length) spans[spans.length - 1][1] = secs;
      else spans.push([-Infinity, secs]);
    }
    const [first, last] = [spans[0], spans[spans.length - 1]];
    if (this.period && spans.length > 1 && first[0] === -Infinity) {
      first[0] = last[0] - this.period;
      last[1] = Math.min(last[1], first[1] + this.period);
    }
    this.spans = own.length ? spans : null;
  }

  bears(secs) {
    if (!this.spans) return true;
    const isIn = (secs) => this.spans.some(([from, to]) => secs >= from && secs < to);
    if (!this.period) return isIn(secs);
    const at = secs - Math.floor(secs / this.period) * this.period;
    return isIn(at) || isIn(at - this.period);
  }
}

/** A critically damped spring some seconds on. */
function sprung(value, rate, goal, halfLife, secs) {
  const y = (2 * Math.LN2) / halfLife;
  const fade = Math.exp(-y * secs);
  const [x, v] = [value - goal, rate + y * (value - goal)];
  return [goal + (x + v * secs) * fade, (rate - y * v * secs) * fade];
}

/** Holds feet where they stand: their tips follow what the loops do in their own files, seen from the root, which never moves for it. */
class Hold {
  constructor(hero) {
    this.hero = hero;
    this.letGo();
  }

  letGo() {
    this.isNew = true;
    this.feet = [0, 1].map(() => ({ offset: new Vector3(), rate: new Vector3(), place: new Vector3(), grip: 0, step: null }));
    [this.body, this.bodyRate, this.lowered, this.loweredRate] = [new Vector3(), new Vector3(), 0, 0];
  }

  /** The root has moved, and the clips have played on. */
  follow(rootStep, taking) {
    if (!this.hero.set.legs.length) return;
    const back = rootStep.inverse();
    for (const vector of [this.body, this.bodyRate]) vector.applyQuaternion(back.rotation);
    for (const { offset, rate, place, step } of this.feet) {
      place.applyQuaternion(back.rotation).add(back.position);
      for (const vector of [offset, rate, ...(step ? [step.offset, step.rate] : [])]) vector.applyQuaternion(back.rotation);
    }
    // The heavier loop counts more than by its weight: where it stands and a lighter one rolls, feet stand.
    const squares = taking.reduce((sum, { weight }) => sum + weight ** 2, 0);
    for (const { clip, weight, secs } of taking) {
      const moved = clip.rootAt(secs[1]).inverse().then(clip.rootAt(secs[0]));
      this.feet.forEach(({ place }, side) => {
        if (!clip.contacts[side].bears(secs[1])) return;
        const before = clip.tip(secs[0], side).applyQuaternion(moved.rotation).add(moved.position);
        place.addScaledVector(clip.tip(secs[1], side).sub(before), weight ** 2 / squares);
      });
    }
  }

  /** How firmly a foot should stand whose tip is at a height: by the loops that step and make up more than half of their weight. */
  grip(taking, side, height, fades) {
    let [stepping, bearing, mean] = [0, 0, 0];
    for (const { clip, weight, secs } of taking) {
      if (!clip.stands) stepping += weight;
      if (!clip.stands && [0, HOLD.grip].every((more) => clip.contacts[side].bears(secs[1] + more))) bearing += weight;
      mean += weight * clip.tip(secs[1], side).y;
    }
    const off = fades && this.feet[side].grip < 0.5 ? (height - mean) / HOLD.touching : 0;
    return stepping < HOLD.standing || bearing > 0.5 * stepping ? (1 + off * off) ** -2 : 0;
  }

  /** Corrects the pose that is on the nodes. */
  apply(taking, secs) {
    const { set, pose, offset } = this.hero;
    if (!set.legs.length) return;
    const fades = !offset.isOver;
    const tips = [0, 1].map((side) => new Vector3().fromArray(pose, 7 * (set.joints.length + side)));
    const grips = tips.map(({ y }, side) => this.grip(taking, side, y, fades));
    if (this.isNew) this.feet.forEach((foot, side) => ((foot.grip = grips[side]), foot.place.copy(tips[side])));
    this.isNew = false;
    const size = set.legs[0].length;
    const goal = new Vector3();
    for (const { offset, grip } of this.feet) goal.addScaledVector(this.body.clone().add(offset), grip);
    goal.multiplyScalar(0.5 / Math.max(1, this.feet[0].grip + this.feet[1].grip)).clampLength(0, HOLD.mostBody * size);
    for (const axis of ["x", "z"]) [this.body[axis], this.bodyRate[axis]] = sprung(this.body[axis], this.bodyRate[axis], goal[axis], HOLD.body, secs);
    const lifts = this.feet.map((foot, side) => {
      const lift = foot.step ? this.stepOn(foot, secs) : this.hold(foot, this.feet[1 - side], tips[side], grips[side], secs);
      foot.place.copy(tips[side]).add(this.body).add(foot.offset);
      return lift;
    });
    const moved = this.feet.reduce((sum, { offset }) => sum + offset.length(), this.body.length() + this.lowered);
    if (taking.length > 1 || fades || moved >= HOLD.nothing) this.solve(lifts, fades, secs);
  }

  hold(foot, other, tip, grip, secs) {
    const { length } = this.hero.set.legs[0];
    const pace = secs / HOLD.grip;
    foot.grip += Math.min(Math.max(grip - foot.grip, -pace), pace);
    const before = foot.offset.clone();
    const off = tip.clone().add(this.body).add(foot.offset).sub(foot.place).setY(0);
    foot.offset.addScaledVector(off, -foot.grip).multiplyScalar(2 ** ((-(1 - foot.grip) * secs) / HOLD.release)).clampLength(0, HOLD.most * length);
    if (secs > 0) foot.rate.copy(foot.offset).sub(before).divideScalar(secs);
    const far = foot.offset.length() / length;
    if (far > HOLD.stepAnyway || (far > HOLD.stepShare && other.grip > 0.5 && !other.step)) {
      foot.step = { secs: 0, offset: foot.offset.clone(), rate: foot.rate.clone().clampLength(0, 1.5) };
      foot.grip = 0;
    }
    return 0;
  }

  /** Goes on with a step; how high it is lifted. */
  stepOn(foot, secs) {
    const { step } = foot;
    step.secs += secs;
    const { left } = fading({ fade: "quintic", fade_secs: HOLD.step }, step.secs);
    foot.offset.copy(step.offset).multiplyScalar(left[0]).addScaledVector(step.rate, left[1]);
    const u = Math.min(step.secs / HOLD.step, 1);
    if (u === 1) foot.step = null;
    return Math.min(0.06, 0.03 + step.offset.length() / 4) * 16 * (u * (1 - u)) ** 2;
  }

  /** Moves hips and legs so that tips come to their places. */
  solve(lifts, fades, secs) {
    const { object, model, set } = this.hero;
    object.updateWorldMatrix(true, true);
    const legs = set.legs.map((leg) => ({ ...leg, nodes: [leg.thigh, leg.knee, leg.ankle, leg.tip].map((name) => model.getObjectByName(name)) }));
    if (legs.some(({ nodes }) => nodes.includes(undefined))) return;
    const at = (node) => object.worldToLocal(node.getWorldPosition(new Vector3()));
    const way = (side) => this.feet[side].place.clone().setY(this.feet[side].place.y + lifts[side]).sub(at(legs[side].nodes[3]));
    const lacks = legs.map(({ nodes, length }, side) => {
      const [thigh, , ankle] = nodes.map(at);
      const wanted = ankle.clone().add(way(side)).sub(this.body);
      return this.feet[side].grip * (wanted.distanceTo(thigh) - Math.max(ankle.distanceTo(thigh), 0.995 * length));
    });
    const lower = Math.min(Math.max(...lacks, 0), HOLD.mostLowered * legs[0].length);
    [this.lowered, this.loweredRate] = sprung(this.lowered, this.loweredRate, lower, HOLD.lowered, secs);
    const hips = model.getObjectByName(legs[0].hips);
    const shifted = at(hips).add(this.body);
    hips.position.copy(hips.parent.worldToLocal(object.localToWorld(shifted.setY(shifted.y - this.lowered))));
    hips.updateWorldMatrix(false, true);
    legs.forEach((leg, side) => {
      const u = Math.min(way(side).length() / HOLD.whole, 1);
      const share = fades ? 1 : u * u * (3 - 2 * u);
      const [axis, bend] = this.bend(leg, at);
      // A knee that a fade has bent the wrong way, or a loop, would be bent on.
      const over = bend.flexed - HOLD.leastBend;
      const more = share * (HOLD.leastBend + (over + Math.hypot(over, HOLD.softBend)) / 2 - bend.flexed);
      if (more > 5e-4) this.turn(leg.nodes[1], new Quaternion().setFromAxisAngle(axis, more));
      this.reach(leg, at, way(side).multiplyScalar(share));
    });
  }

  /** The axis of the knee, and its flexion: the squared distance from thigh to ankle is middle + reach cos(flexed). */
  bend({ nodes, hinge }, at) {
    const [thigh, knee, ankle] = nodes.map(at);
    const axis = hinge.clone().applyQuaternion(this.rotation(nodes[1].parent));
    const [upper, lower] = [knee.sub(thigh), ankle.sub(thigh)];
    lower.sub(upper);
    const along = upper.dot(axis) * lower.dot(axis);
    const [cos, sin] = [2 * (upper.dot(lower) - along), 2 * axis.clone().cross(lower).dot(upper)];
    return [axis, { middle: upper.lengthSq() + lower.lengthSq() + 2 * along, reach: Math.hypot(cos, sin), flexed: -Math.atan2(sin, cos), upper, lower }];
  }

  /** Moves an ankle by thigh and knee; the foot keeps its direction: docs/math/feet.md. */
  reach(leg, at, moved) {
    const [axis, { middle, reach, flexed, upper, lower }] = this.bend(leg, at);
    const goal = upper.clone().add(lower).add(moved);
    const [far, half, now] = [middle + reach, reach / 2, 2 * Math.abs(Math.sin(flexed / 2))];
    const heel = HOLD.give ** -2 / (4 * far);
    const lack = far - goal.lengthSq();
    const [cubed, linear] = [2 * heel * half * half, 1 - 2 * heel * half * lack];
    let x = Math.min(Math.max(now, Math.sqrt(Math.max(lack / half, 0))), 2);
    for (let round = 0; round < 12; round += 1) {
      const slope = 3 * cubed * x * x + linear;
      if (slope <= 0) break;
      x -= (cubed * x ** 3 + linear * x - now) / slope;
    }
    const wanted = (far - half * x * x - middle) / reach;
    const stiff = flexed ** 2 / (flexed ** 2 + 0.005 ** 2);
    const cos = Math.min(Math.max(Math.cos(flexed) * (1 - stiff) + wanted * stiff, -1), 1);
    const angle = Math.sign(flexed) * Math.acos(cos) - flexed;
    const bent = new Quaternion().setFromAxisAngle(axis, angle);
    const swing = new Quaternion().setFromUnitVectors(upper.add(lower.applyQuaternion(bent)).normalize(), goal.normalize());
    this.turn(leg.nodes[1], bent);
    this.turn(leg.nodes[0], swing);
    this.turn(leg.nodes[2], swing.multiply(bent).conjugate());
  }

  /** The rotation of a node, seen from the character. */
  rotation(node) {
    return this.hero.object.getWorldQuaternion(new Quaternion()).conjugate().multiply(node.getWorldQuaternion(new Quaternion()));
  }

  /** Turns a node by a rotation, seen from the character. */
  turn(node, rotation) {
    const above = this.rotation(node.parent);
    node.quaternion.premultiply(above.clone().conjugate().multiply(rotation).multiply(above)).normalize();
    node.updateWorldMatrix(false, true);
  }
}

/** The motion of a blend as a goal. */
function motionOf({ space, at }) {
  const { linear, angular } = space.twist(space.weights(at));
  return { speed: Math.hypot(linear.x, linear.z), direction: Math.atan2(linear.x, linear.z), turnRate: angular.y, climb: linear.y };
}

/** Numbers from 0 to 1 in an order that the seed decides: a Weyl sequence, mixed. */
function generator(seed) {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

function least(list, cost) {
  return list.reduce((best, item) => (best === null || cost(item) < cost(best) ? item : best), null);
}
