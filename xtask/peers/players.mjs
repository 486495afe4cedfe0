// Plays sets with surfaces/players/three/loopwright.js by their manifests alone, and measures what would be seen.
//
//   NODE_PATH=FOLDER/node_modules node xtask/peers/players.mjs SET...
//
// A SET is a folder with set.json and the files that it names. For each a line of JSON with figures; status 1 where one exceeds its limit.

import fs from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import "./three.mjs";

/** Largest step at a switch, over that inside clips. */
const MOST_STEP = 1.1;
/** The root after a minute against the closed form, metres. */
const MOST_DRIFT_M = 0.01;
/** Two frame rates lead to one place, where they switch at the same times, metres. */
const MOST_APART = 0.05;
/** Strikes of the foot that struck before, as where a walk and a walk backward are mixed, of all. */
const MOST_TWICE = 0.03;

// Loaders fetch, and Node fetches no files.
globalThis.fetch = async ({ url }) => new Response(fs.readFileSync(fileURLToPath(url)));
const THREE = await import("three");
const { LoopwrightSet, LoopwrightCharacter } = await import("../../surfaces/players/three/loopwright.js");

const faults = brokenRules().map((rule) => `of a set that is made up: ${rule}`);
faults.push(...(await unlikeTheTable()));
for (const folder of process.argv.slice(2)) {
  const name = path.basename(folder);
  const figures = played(await LoopwrightSet.load(pathToFileURL(path.resolve(folder, "set.json")).href));
  console.log(JSON.stringify({ set: name, ...figures }));
  const must = (holds, problem) => {
    if (!holds) faults.push(`${name}: ${problem}`);
  };
  const held = (what, value, most) => must(value <= most, `${what} is ${value}, at most ${most} is wanted`);
  for (const drift of figures.drifts) held(`the root of ${drift.at} after 60 s, metres off`, drift.metres, MOST_DRIFT_M);
  for (const change of figures.switches) {
    held(`the step from ${change.from} to ${change.to} over that inside`, change.step, MOST_STEP);
    held(`the second difference from ${change.from} to ${change.to} over that inside`, change.bend, MOST_STEP);
  }
  held("the path at another frame rate, metres off", figures.apart_m, MOST_APART);
  must(figures.rates_that_switch_alike, "no other frame rate switches at the same times, so no paths are compared");
  held("the share of strikes by the same foot twice in a row", figures.same_foot_twice / (figures.strikes || 1), MOST_TWICE);
  // A path on which nothing happens shows nothing.
  must(figures.switches.length || figures.spaces < 2, "nothing switches");
  must(figures.strikes || !figures.events_of_set, "no foot strikes");
}
for (const fault of faults) console.log(`FAULT ${fault}`);
process.exit(faults.length ? 1 : 0);

/** Rules of playing that sets of takes seldom come to, tried with sets of one joint that are made up: those that do not hold. */
function brokenRules() {
  const broken = [];
  const must = (holds, rule) => {
    if (!holds) broken.push(rule);
  };
  const clip = (name, seconds, more) => ({ name, file: "hero.glb", animation: "still", seconds, frames: 30, events: [], ...more });
  const loop = (name, seconds, speed, { warp = 0, ...more } = {}) =>
    clip(name, seconds, { kind: "loop", phase: { warp, left: 0, right: 0.5 + warp }, twist: { linear: [0, 0, speed], angular: [0, 0, 0] }, ...more });
  const made = (clips, points) => {
    const scene = new THREE.Object3D();
    scene.add(Object.assign(new THREE.Object3D(), { name: "Hips" }));
    const animations = [new THREE.AnimationClip("still", 1, [new THREE.VectorKeyframeTrack("Hips.position", [0, 1], [0, 1, 0, 0, 1, 0])])];
    const blend_spaces = [{ name: "move", axes: ["speed_mps"], points: points.map(([clip, speed]) => ({ clip, at: [speed] })), triangles: [] }];
    const manifest = { format: "loopwright-set", version: 1, in_place: true, root_joint: null, skeleton: { carrier: "Hips" }, clips, blend_spaces, transitions: [] };
    return new LoopwrightSet(manifest, new Map([["hero.glb", { scene, animations }]]));
  };

  for (const warp of [0.31, -0.31]) {
    const walk = made([loop("walk", 1.1, 1.4, { warp })], [["walk", 1.4]]).clip("walk");
    const off = Array.from({ length: 200 }, (_, at) => Math.abs(walk.phaseAt(walk.shareAt(at / 200) * 1.1) - at / 200));
    must(Math.max(...off) < 1e-12, `with a warp of ${warp} phases are the inverse of shares, not ${Math.max(...off)} off`);
  }

  // The faster loop comes first, and none stands.
  const fall = clip("fall", 1, { kind: "jump", root: { secs: [0, 1], translation: [0, 0, 0, 0, 0, 1], rotation: [0, 0, 0, 1, 0, 0, 0, 1] } });
  const moving = made([loop("run", 0.7, 3), loop("walk", 1.1, 1.4), fall], [["run", 3], ["walk", 1.4]]);
  const first = new LoopwrightCharacter(moving);
  must(first.playing.at[0] === 1.4, `where no loop stands a character begins with the slowest, not at ${first.playing.at}`);
  const fallen = new LoopwrightCharacter(moving, { clip: "run" });
  fallen.play("fall");
  fallen.update(1);
  must(fallen.playing.at?.[0] === 1.4, `after a clip that leads to none the slowest loop follows, not ${JSON.stringify(fallen.playing)}`);

  // A start that turns leads to the loop, but nobody asked to turn.
  const starting = (turn_deg, turn) => {
    const still = loop("idle", 2, 0);
    const passage = { ...fall, name: "start", kind: "start", from: { clip: "idle", secs: 0.2 }, to: { clip: "walk", secs: 0.5 }, turn_deg };
    const hero = new LoopwrightCharacter(made([still, loop("walk", 1.1, 1.4), passage], [["walk", 1.4]]));
    let started = false;
    hero.addEventListener("switch", ({ to }) => (started ||= to === "start"));
    hero.setGoal({ speed: 1.4, turn });
    for (let frame = 0; frame < 180; frame += 1) hero.update(1 / 60);
    return started;
  };
  must(starting(20, 0) && starting(120, 2), "a start leads to the loop, and turns who asks for it");
  must(!starting(120, 0), "who is not asked to turn does not");

  // A stop and a start lead from the walk to a run that is in no space with it.
  const passage = (name, from, to) => ({ ...fall, name, kind: name, from: { clip: from, secs: 0.2 }, to: { clip: to, secs: 0.5 } });
  const clips = [loop("idle", 2, 0), loop("walk", 1.1, 1.4), loop("run", 0.7, 3), passage("stop", "walk", "idle"), passage("start", "idle", "run")];
  const walker = new LoopwrightCharacter(made(clips, [["walk", 1.4]]), { clip: "walk" });
  const seen = [];
  walker.addEventListener("switch", ({ to }) => seen.push(to));
  walker.setGoal({ speed: 3 });
  for (let frame = 0; frame < 360; frame += 1) walker.update(1 / 60);
  must(seen.join() === "run", `who speeds up does not stop for it: ${seen}`);

  // A step over more ends of cycles than switches may follow each other.
  const varied = new LoopwrightCharacter(made([loop("walk", 1.1, 1.4), loop("walk_v2", 1.1, 1.4, { variant_of: "walk" })], [["walk", 1.4]]), { clip: "walk" });
  varied.update(60);
  const way = varied.object.position.z;
  must(Math.abs(varied.secs - 60) < 1e-9 && Math.abs(way - 84) < 1e-6, `a step of 60 s is one, not of ${varied.secs} s and ${way} m`);

  let refused = "";
  try {
    made([loop("walk", 0, 1.4)], [["walk", 1.4]]);
  } catch (error) {
    refused = error.message;
  }
  must(refused.includes("walk lasts 0 s"), `a clip of no length is refused: ${refused}`);
  return broken;
}

/** What the table of cases that xtask/peers/cases.py makes shows otherwise. */
async function unlikeTheTable() {
  const folder = new URL("../../crates/sets/player/tests/cases/", import.meta.url);
  const set = await LoopwrightSet.load(new URL("set.json", folder).href);
  const unlike = [];
  for (const { case: what, clip, inputs, shows } of JSON.parse(fs.readFileSync(new URL("cases.json", folder)))) {
    const hero = new LoopwrightCharacter(set, { clip });
    hero.holdsFeet = false;
    for (let frame = 0; frame <= 120; frame += 1) {
      const secs = frame / 60;
      for (; inputs.length && inputs[0][0] <= secs + 1e-9; inputs.shift()) {
        const [, verb, value] = inputs[0];
        if (verb === "play") {
          hero.play(value);
          hero.setGoal({ speed: 1, turnRate: 0 });
        } else if (verb === "over") hero.play(value, { over: true });
        else hero.setGoal({ speed: value[0], turnRate: (value[1] * Math.PI) / 180 });
      }
      if (shows.length && shows[0].secs <= secs + 1e-4) {
        const { root, phase, weights, joints } = shows.shift();
        const off = (name, found, wanted, most) => {
          const far = Math.hypot(...wanted.map((value, at) => value - (found.getComponent?.(at) ?? found[at])));
          if (!(far <= most)) unlike.push(`of the table of cases: "${what}" has ${name} ${far} off at ${secs} s`);
        };
        off("its root", [...hero.root.position, 2 * Math.atan2(hero.root.rotation.y, hero.root.rotation.w)], root, 2e-3);
        if (phase !== null) {
          const { playing } = hero;
          off("its phase", [playing.phase - Math.round(playing.phase - phase)], [phase], 1e-3);
          for (const { clip, weight } of playing.clips) off(`the weight of ${clip}`, [weight], [weights[clip] ?? 0], 2e-3);
        }
        hero.model.updateMatrixWorld(true);
        const back = hero.object.matrixWorld.clone().invert();
        for (const [name, place] of Object.entries(joints)) {
          off(name, new THREE.Vector3().setFromMatrixPosition(hero.model.getObjectByName(name).matrixWorld).applyMatrix4(back), place, 2e-3);
        }
      }
      hero.update(1 / 60);
    }
  }
  const [free, held] = [false, true].map((holds) => slides(set, holds));
  if (!(free > 0.02 && held < 0.004)) unlike.push(`of the set of the table: feet slide at ${held} m/s, and at ${free} m/s where they are not held`);
  return unlike;
}

/** The mean speed of standing feet over the ground in changes between walk and run of the table's set, m/s. */
function slides(set, holdsFeet) {
  const hero = new LoopwrightCharacter(set, { clip: "walk" });
  Object.assign(hero, { holdsFeet });
  let [last, sum, count] = [null, 0, 0];
  for (let frame = 0; frame < 3600; frame += 1) {
    const change = Math.floor(frame / 90) % 4;
    if (change < 3) hero.setGoal([{ speed: 2.2, turnRate: 0 }, { speed: 1.4, turnRate: 0.35 }, { speed: 1, turnRate: 0 }][change]);
    else if (frame % 90 === 0) hero.play("run");
    hero.update(1 / 60);
    hero.object.updateMatrixWorld(true);
    const tips = ["LeftToeBase", "RightToeBase"].map((name) => new THREE.Vector3().setFromMatrixPosition(hero.model.getObjectByName(name).matrixWorld).setY(0));
    tips.forEach((tip, side) => {
      const off = hero.playing.phase - side / 2;
      if (!last || hero.hold.feet[side].step || Math.abs(off - Math.round(off)) > 0.12) return;
      sum += 60 * tip.distanceTo(last[side]);
      count += 1;
    });
    last = tips;
  }
  return sum / count;
}

/** Plays a set, and measures it. */
function played(set) {
  const rate = 120;

  const places = (hero) => {
    hero.object.updateMatrixWorld(true);
    return hero.nodes.map((node) => new THREE.Vector3().setFromMatrixPosition(node.matrixWorld));
  };
  /** The longest step and second difference of any joint over each of some frames. */
  const measured = (frames) => {
    const steps = [{ step: 0, bend: 0 }];
    for (let at = 1; at + 1 < frames.length; at += 1) {
      let [step, bend] = [0, 0];
      frames[at].forEach((here, joint) => {
        step = Math.max(step, here.distanceTo(frames[at - 1][joint]), here.distanceTo(frames[at + 1][joint]));
        bend = Math.max(bend, new THREE.Vector3().addVectors(frames[at - 1][joint], frames[at + 1][joint]).addScaledVector(here, -2).length());
      });
      steps.push({ step, bend });
    }
    return steps;
  };
  const most = (steps, key) => steps.reduce((most, found) => Math.max(most, found[key]), 0);

  // Inside clips: each alone, over its whole length, without the frames at a passage's ends.
  const inside = new Map();
  for (const clip of set.clips.values()) {
    const hero = new LoopwrightCharacter(set, { clip: clip.loops ? clip.name : undefined });
    Object.assign(hero, { varies: false, holdsFeet: false });
    if (!clip.loops) {
      hero.update(0.1);
      hero.play(clip.name);
      hero.offset.secs = Infinity;
      hero.update(0);
    }
    const frames = [];
    for (let at = 0; at <= Math.floor(clip.seconds * rate) - (clip.loops ? 0 : 1); at += 1) {
      frames.push(places(hero));
      hero.update(1 / rate);
    }
    const steps = measured(frames);
    inside.set(clip.name, { step: most(steps, "step"), bend: most(steps, "bend") });
  }

  // The root after a minute, in uneven frames, against the formula of docs/formats/twist.md. Between loops as well.
  const rootAt = ({ linear, angular }, t) => {
    const sinc = (x) => (Math.abs(x) < 1e-4 ? 1 - (x * x) / 6 : Math.sin(x) / x);
    const a = angular.y * t;
    const [ahead, aside] = [t * sinc(a), t * (a / 2) * sinc(a / 2) ** 2];
    return new THREE.Vector3(linear.x * ahead + linear.z * aside, linear.y * t, linear.z * ahead - linear.x * aside);
  };
  const drifts = [];
  for (const space of set.spaces) {
    // Loops that stand are played alone, also where it is a corner of slow walks.
    const own = space.clips.filter(({ stands }) => stands === space.stands);
    const middle = space.points[0].map((_, axis) => space.points.reduce((sum, point) => sum + point[axis], 0) / space.points.length);
    for (const [index, at] of [...own.map((clip) => space.pointOf(clip)), space.covered(middle)].entries()) {
      const hero = new LoopwrightCharacter(set, { clip: (own[index] ?? own[0]).name });
      // A loop may be in several spaces.
      hero.source = new hero.source.constructor(space, at, 0);
      hero.plan = null;
      hero.varies = false;
      let secs = 0;
      for (let frame = 0; secs < 60; frame += 1) {
        const step = Math.min(60 - secs, [1 / 60, 1 / 144, 1 / 31][frame % 3]);
        hero.update(step);
        secs += step;
      }
      const twist = space.twist(space.weights(at));
      const metres = hero.object.position.distanceTo(rootAt(twist, 60));
      drifts.push({ at: own[index]?.name ?? `the middle of ${space.name}`, metres, way_m: 60 * twist.linear.length() });
    }
  }

  // A path over what the set has: goals and how long each is followed.
  const moving = [...set.clips.values()].filter(({ loops, stands }) => loops && !stands).map(({ entry }) => entry);
  const speeds = moving.map(({ speed_mps }) => speed_mps).sort((a, b) => a - b);
  const forward = moving.filter(({ direction_deg }) => Math.abs(direction_deg ?? 0) < 30);
  const slow = speeds[0] ?? 0;
  const fast = Math.max(0, ...forward.map(({ speed_mps }) => speed_mps));
  const left = (Math.PI / 180) * Math.max(0, ...moving.map(({ turn_rate_dps }) => turn_rate_dps));
  const right = (Math.PI / 180) * Math.min(0, ...moving.map(({ turn_rate_dps }) => turn_rate_dps));
  const path = [
    [1.5, { speed: 0, turnRate: 0 }],
    [4, { speed: slow }],
    [3, { turnRate: left }],
    [3, { turnRate: right }],
    [4, { speed: fast, turnRate: 0 }],
    [2, { turnRate: left / 2 }],
    [3, { speed: slow, turnRate: 0 }],
    [4, { speed: 0 }],
    [3, { turn: Math.PI / 2 }],
    [3, { speed: fast }],
    [1, { speed: 0 }],
    [0.4, { speed: slow }],
    [6, { speed: 0 }],
  ];
  const follow = (hero, fps, seen) => {
    for (const [secs, goal] of path) {
      hero.setGoal(goal);
      for (let at = 0; at < Math.round(secs * fps); at += 1) {
        hero.update(1 / fps);
        seen?.();
      }
    }
  };
  // Switches are compared with the inside of clips, which feet that are held leave.
  const hero = Object.assign(new LoopwrightCharacter(set), { holdsFeet: false });
  const frames = [places(hero)];
  const [switches, strikes] = [[], []];
  /** The loops that take part, or the passage: the rates inside them are what a switch is held against. */
  const taking = ({ clip, clips }) => (clip ? [clip] : clips.map(({ clip }) => clip));
  let before = taking(hero.playing);
  hero.addEventListener("switch", ({ from, to, secs }) => {
    switches.push({ from, to, secs, clips: [...before, ...taking(hero.playing)] });
  });
  hero.addEventListener("strike", ({ foot, secs, clip }) => strikes.push({ foot, secs, clip }));
  follow(hero, rate, () => {
    frames.push(places(hero));
    before = taking(hero.playing);
  });
  const steps = measured(frames);
  const calmest = Math.min(...moving.map(({ name }) => inside.get(name).bend));
  const compared = switches.map(({ from, to, secs, clips }) => {
    const at = Math.round(secs * rate);
    const near = steps.slice(Math.max(at - 1, 1), at + 3);
    const over = (key, floor) => Math.round((1000 * most(near, key)) / Math.max(floor, ...clips.map((name) => inside.get(name)[key]))) / 1000;
    // Between two that stand a second difference of what the calmest gait has shows no more than there.
    return { from, to, secs: Math.round(1000 * secs) / 1000, step: over("step", 0), bend: over("bend", calmest) };
  });

  const apart = [];
  for (const fps of [30, 144]) {
    const other = new LoopwrightCharacter(set);
    const found = [];
    other.addEventListener("switch", ({ to, secs }) => found.push({ to, secs }));
    follow(other, fps);
    // A goal that comes just before or after the moment to leave leads to other steps.
    const same = found.length === switches.length && found.every(({ to, secs }, at) => to === switches[at].to && Math.abs(secs - switches[at].secs) < 0.05);
    if (same) apart.push(other.object.position.distanceTo(hero.object.position));
  }

  // In loops of two feet these strike in turn; who stops may put both down.
  const inTurn = ({ clip }) => {
    const feet = set.clip(clip).events.filter(({ kind }) => kind === "strike").map(({ foot }) => foot);
    return set.clip(clip).loops && feet.every((foot, at) => foot !== feet[(at + 1) % feet.length]);
  };
  const isSame = (strike, next) => strike.foot === next?.foot && inTurn(strike) && inTurn(next) && !isBetween(strike.secs, next.secs);
  const isBetween = (from, to) => switches.some(({ secs }) => secs >= from && secs <= to);
  const twice = strikes.filter((strike, index) => isSame(strike, strikes[index + 1])).length;
  return {
    drifts,
    switches: compared,
    apart_m: Math.max(0, ...apart),
    rates_that_switch_alike: apart.length,
    strikes: strikes.length,
    spaces: set.spaces.length,
    same_foot_twice: twice,
    events_of_set: moving.some(({ events }) => events?.length),
  };
}
