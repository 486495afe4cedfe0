// Plays loops with three.js in a browser without a window, and says how large the step over the seam is.
//
//   npm install --prefix FOLDER three puppeteer-core
//   apt-get install chromium       (or another browser of that family, its path in CHROMIUM)
//   NODE_PATH=FOLDER/node_modules cargo xtask measure files
//
// The argument is a JSON file: a list of questions, each answered in a line of JSON.
//
//   {"file", "animation", "period_secs", "picture"}
//     -> {"ratio", "seam", "inside", "colours", "browser", "three"}
//
// Every node is followed in the world through two periods. "ratio" is the largest step over the seam over the largest
// elsewhere; "colours" counts those of the last picture, which is written to "picture".

import fs from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const modules = path.resolve(process.env.NODE_PATH ?? "node_modules");
const require = createRequire(path.join(modules, "peers.js"));
const { default: puppeteer } = await import(pathToFileURL(require.resolve("puppeteer-core")).href);
const questions = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));

const page_text = `<!doctype html><style>body{margin:0}</style>
<script type="importmap">{"imports": {"three": "/modules/three/build/three.module.js", "addons/": "/modules/three/examples/jsm/"}}</script>
<script type="module">
import * as THREE from "three";
import { GLTFLoader } from "addons/loaders/GLTFLoader.js";

const renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
renderer.setSize(480, 360);
document.body.append(renderer.domElement);

window.play = async (url, animation, period) => {
  const gltf = await new GLTFLoader().loadAsync(url);
  const scene = new THREE.Scene();
  scene.background = new THREE.Color(0x20242a);
  scene.add(gltf.scene, new THREE.HemisphereLight(0xffffff, 0x404040, 3));
  const clip = gltf.animations.find((clip) => clip.name === animation);
  if (!clip) throw new Error("no animation " + animation);
  const mixer = new THREE.AnimationMixer(gltf.scene);
  mixer.clipAction(clip).play();
  mixer.update(0);
  const nodes = [];
  gltf.scene.traverse((node) => nodes.push(node));
  const places = () => {
    gltf.scene.updateMatrixWorld(true);
    return nodes.map((node) => new THREE.Vector3().setFromMatrixPosition(node.matrixWorld));
  };
  let before = places();
  const box = new THREE.Box3().setFromPoints(before);
  const middle = box.getCenter(new THREE.Vector3());
  const size = box.getSize(new THREE.Vector3()).length();
  const camera = new THREE.PerspectiveCamera(45, 480 / 360, size / 100, size * 10);
  camera.position.copy(middle).add(new THREE.Vector3(0.7, 0.25, 1).multiplyScalar(size * 1.2));
  camera.lookAt(middle);
  const step = 1 / 240;
  let inside = 0, seam = 0;
  for (let index = 1; index * step <= 2 * period + step; index += 1) {
    mixer.update(step);
    const now = places();
    const cycles = (time) => Math.floor(time / period + 1e-9);
    const over = cycles(index * step) !== cycles((index - 1) * step);
    for (const [node, place] of now.entries()) {
      const length = place.distanceTo(before[node]);
      if (over) seam = Math.max(seam, length);
      else inside = Math.max(inside, length);
    }
    before = now;
    if (index % 60 === 0) renderer.render(scene, camera);
  }
  renderer.render(scene, camera);
  const gl = renderer.getContext();
  const pixels = new Uint8Array(480 * 360 * 4);
  gl.readPixels(0, 0, 480, 360, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  const colours = new Set(new Uint32Array(pixels.buffer)).size;
  return { ratio: seam / Math.max(inside, 1e-9), seam, inside, colours, three: THREE.REVISION };
};
window.ready = true;
</script>`;

const server = http.createServer((request, response) => {
  const url = new URL(request.url, "http://127.0.0.1");
  try {
    if (url.pathname === "/") {
      response.setHeader("content-type", "text/html");
      response.end(page_text);
    } else if (url.pathname.startsWith("/modules/")) {
      const file = path.join(modules, path.normalize(decodeURIComponent(url.pathname.slice("/modules/".length))));
      response.setHeader("content-type", "text/javascript");
      response.end(fs.readFileSync(file));
    } else {
      response.end(fs.readFileSync(questions[Number(url.pathname.slice(1))].file));
    }
  } catch {
    response.statusCode = 404;
    response.end();
  }
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  headless: true,
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
try {
  const page = await browser.newPage();
  page.on("pageerror", (error) => console.error(String(error)));
  await page.setViewport({ width: 480, height: 360 });
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction("window.ready", { timeout: 60_000 });
  for (const [index, { animation, period_secs, picture }] of questions.entries()) {
    const line = await page.evaluate((url, animation, period) => window.play(url, animation, period), `/${index}`, animation, period_secs);
    await page.screenshot({ path: picture });
    console.log(JSON.stringify({ ...line, browser: await browser.version() }));
  }
} finally {
  await browser.close();
  server.close();
}
