// Plays sets with surfaces/players/three/loopwright.js, and compares with the table of cases and with three's own player of animations.
//
//   NODE_PATH=FOLDER/node_modules node bench/peers/players.mjs SET...
//
// A SET is a folder with set.json and the files that it names. For each a line of JSON; status 1 where something is off.

import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import "./three.mjs";

/** Joints against where they are meant to be, metres. */
const MOST_OFF = 2e-3;

const THREE = await import("three");
const { LoopwrightSet, LoopwrightCharacter } = await import("../../surfaces/players/three/loopwright.js");

const faults = [];
const must = (holds, fault) => holds || faults.push(fault);
await compareCases();
for (const folder of process.argv.slice(2)) {
  const set = await LoopwrightSet.load(pathToFileURL(path.resolve(folder, "set.json")).href);
  const [name, figures] = [path.basename(folder), { off_m: 0, strikes: 0, switches: 0 }];
  if (set.manifest.in_place || set.manifest.root_joint) figures.off_m = Math.max(...set.manifest.clips.map((clip) => offClip(set, clip)));
  must(figures.off_m < MOST_OFF, `${name}: joints are ${figures.off_m} m from where three.js has them`);
  const hero = new LoopwrightCharacter(set);
  for (const type of ["strike", "switch"]) hero.addEventListener(type, () => (figures[type === "strike" ? "strikes" : "switches"] += 1));
  const fastest = Math.max(...set.manifest.clips.map(({ speed_mps }) => speed_mps ?? 0));
  for (const speed of [fastest, 0, fastest / 2]) {
    hero.setGoal({ speed });
    for (let frame = 0; frame < 300; frame += 1) hero.update(1 / 60);
  }
  must(figures.strikes || !set.manifest.clips.some(({ kind, events }) => kind === "loop" && events?.length), `${name}: no foot strikes`);
  must(hero.object.position.distanceTo(hero.root.position) < 1e-6, `${name}: the object is not at the root`);
  must(places(hero.object, hero.nodes).every((place) => Number.isFinite(place.length())), `${name}: joints are nowhere`);
  console.log(JSON.stringify({ set: name, ...figures }));
}
for (const fault of faults) console.log(`FAULT ${fault}`);
process.exit(faults.length ? 1 : 0);

/** Where nodes are, seen from what they hang from. */
function places(object, nodes) {
  object.updateMatrixWorld(true);
  const back = object.matrixWorld.clone().invert();
  return nodes.map((node) => new THREE.Vector3().setFromMatrixPosition(node.matrixWorld).applyMatrix4(back));
}

/** How far joints of a loop are at most from those of its animation, which three.js plays, metres. */
function offClip(set, { name, kind, seconds, frames }) {
  if (kind !== "loop") return 0;
  const hero = Object.assign(new LoopwrightCharacter(set, { clip: name }), { varies: false, holdsFeet: false });
  const scene = set.scene.clone();
  const mixer = new THREE.AnimationMixer(scene);
  mixer.clipAction(set.animations.get(name)).play();
  const nodes = set.joints.map((joint) => scene.getObjectByName(joint));
  // The character moves by the root joint's motion instead.
  const carrier = set.manifest.root_joint && THREE.PropertyBinding.sanitizeNodeName(set.manifest.root_joint);
  let most = 0;
  // At keys: between them the player's curves are smooth.
  for (let key = 0; key < frames; key += 5) {
    mixer.setTime((key / frames) * seconds);
    if (carrier) scene.getObjectByName(carrier).copy(hero.model.getObjectByName(carrier), false);
    const wanted = places(scene, nodes);
    places(hero.object, hero.nodes).forEach((place, joint) => (most = Math.max(most, place.distanceTo(wanted[joint]))));
    hero.update((5 * seconds) / frames);
  }
  return most;
}

/** What the table of cases of the player shows otherwise. */
async function compareCases() {
  const folder = new URL("../../crates/sets/player/tests/cases/", import.meta.url);
  const set = await LoopwrightSet.load(new URL("set.json", folder).href);
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
        } else if (verb === "over") hero.playOver(value);
        else hero.setGoal({ speed: value[0], turnRate: (value[1] * Math.PI) / 180 });
      }
      if (shows.length && shows[0].secs <= secs + 1e-4) {
        const { root, joints } = shows.shift();
        const [{ position, rotation }, names] = [hero.root, Object.keys(joints)];
        must(Math.hypot(...position.toArray().map((value, axis) => value - root[axis])) < MOST_OFF, `"${what}": the root is off at ${secs} s`);
        must(Math.abs(2 * Math.atan2(rotation.y, rotation.w) - root[3]) < MOST_OFF, `"${what}": the root's direction is off at ${secs} s`);
        const found = places(hero.object, names.map((name) => hero.model.getObjectByName(name)));
        names.forEach((name, joint) => must(found[joint].distanceTo(new THREE.Vector3(...joints[name])) < MOST_OFF, `"${what}": ${name} is off at ${secs} s`));
      }
      hero.update(1 / 60);
    }
  }
}
