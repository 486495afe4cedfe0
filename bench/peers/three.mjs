// Lets scripts of this folder import packages of NODE_PATH by name, gives three.js the globals of browsers that its loaders ask for, and answers questions.

import fs from "node:fs";
import { register } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const modules = pathToFileURL(path.resolve(process.env.NODE_PATH ?? "node_modules")).href;
// Packages import each other by name, too; Node looks for them beside the file that does.
const resolver = `export function resolve(name, context, next) {
  const isPackage = /^[@\\w]/.test(name) && !name.includes(":") && !context.parentURL?.startsWith(${JSON.stringify(modules)});
  return next(name, isPackage ? { ...context, parentURL: ${JSON.stringify(`${modules}/peers.js`)} } : context);
}`;
register(`data:text/javascript,${encodeURIComponent(resolver)}`);
globalThis.self = globalThis;
globalThis.ProgressEvent = class {};
globalThis.window = { innerWidth: 1, innerHeight: 1, URL };
/** Answers the questions of the JSON file that the argument names, each in a line of JSON. */
export async function answer(work) {
  for (const question of JSON.parse(fs.readFileSync(process.argv[2], "utf8"))) {
    console.log(JSON.stringify(await work(question).catch((error) => ({ error: String(error) }))));
  }
}

/** Plays a clip once on a scene of three.js, which stays as it is at the end. */
export function played({ AnimationMixer, LoopOnce }, scene, clip) {
  const mixer = new AnimationMixer(scene);
  const action = mixer.clipAction(clip).setLoop(LoopOnce);
  action.clampWhenFinished = true;
  action.play();
  return mixer;
}

// Node fetches no files.
const { fetch } = globalThis;
globalThis.fetch = async (from) => {
  const url = String(from.url ?? from);
  return url.startsWith("file:") ? new Response(fs.readFileSync(fileURLToPath(url))) : fetch(from);
};
