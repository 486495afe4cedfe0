// Drives the page in a headless Chromium: node drive.mjs PAGE FILES OUT. FILES has stroll.bvh, amble.glb, striding.fbx, edited.toml and,
// if it is to be opened too, long.bvh. Opens the page at three widths, takes by the file input and by dropping them, a recipe with
// another closure, a stance and an edit, exports, opens fifty takes in a row, and measures the longest frame while a long take is opened.
// Leaves pictures, files and figures in the folder OUT.
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";

const [page, files, out] = process.argv.slice(2).map((path) => resolve(path));
const WIDTHS = [[390, 844], [1024, 768], [1920, 1080]];
// A picture of one colour is smaller.
const BLANK_BYTES = 12_000;
const PATIENCE_MS = 240_000;
const NUM_TAKES = 50;
// The takes of the studio's list, and what the allocator keeps besides.
const GROWTH_AFTER_LIST = 1.1;

const types = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
const server = createServer((request, response) => {
    const path = join(page, request.url === "/" ? "index.html" : basename(request.url));
    if (!existsSync(path)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": types[extname(path)] ?? "application/octet-stream" }).end(readFileSync(path));
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const address = `http://127.0.0.1:${server.address().port}/`;

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const flags = ["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--remote-debugging-pipe",
    "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-renderer-backgrounding"];
const chromium = spawn("chromium", [...flags, `--user-data-dir=${join(out, "profile")}`], {
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
});
const answers = new Map();
const problems = [];
const requests = new Set();
let rest = "";
chromium.stdio[4].on("data", (data) => {
    const messages = (rest + data).split("\0");
    rest = messages.pop();
    for (const message of messages.map((text) => JSON.parse(text))) {
        answers.get(message.id)?.(message);
        if (message.method === "Runtime.exceptionThrown") problems.push(JSON.stringify(message.params.exceptionDetails));
        if (message.method === "Network.requestWillBeSent") requests.add(message.params.request.url);
    }
});
let last = 0;
let session;
const ask = (method, params = {}) =>
    new Promise((done, failed) => {
        const id = ++last;
        answers.set(id, ({ result, error }) => (error ? failed(new Error(`${method}: ${error.message}`)) : done(result)));
        chromium.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId: session })}\0`);
    });
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const evaluate = async (expression) => {
    const { result, exceptionDetails } = await ask("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
    return result.value;
};
const said = () => evaluate('document.getElementById("said")?.textContent');
const until = async (what, isSo) => {
    const start = Date.now();
    while (!(await isSo())) {
        if (problems.length) throw new Error(problems.join("\n"));
        if (Date.now() - start > PATIENCE_MS) throw new Error(`never: ${what}; the page says "${await said()}"`);
        await sleep(20);
    }
    return Date.now() - start;
};
const picture = async (name) => {
    const { data } = await ask("Page.captureScreenshot", { format: "png" });
    const bytes = Buffer.from(data, "base64");
    writeFileSync(join(out, `${name}.png`), bytes);
    if (bytes.length < BLANK_BYTES) throw new Error(`the picture ${name} is blank`);
};
const size = (width, height) =>
    ask("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
const navigate = async () => {
    await evaluate('document.getElementById("said")?.replaceChildren()');
    await ask("Page.navigate", { url: address });
    return until("the walk is closed", async () => (await said())?.startsWith("walk.bvh: good"));
};
const isOpen = (name) => until(`${name} is open`, async () => (await said())?.startsWith(`${name}: `));
const choose = async (...paths) => {
    const { root } = await ask("DOM.getDocument");
    const { nodeId } = await ask("DOM.querySelector", { nodeId: root.nodeId, selector: "#take" });
    await ask("DOM.setFileInputFiles", { nodeId, files: paths });
};
const drop = async (path) => {
    const data = { items: [], files: [path], dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"]) {
        await ask("Input.dispatchDragEvent", { type, x: 300, y: 300, data });
    }
};
const press = async (key, code) => {
    for (const type of ["keyDown", "keyUp"]) {
        const text = type === "keyDown" && key.length === 1 ? key : undefined;
        await ask("Input.dispatchKeyEvent", { type, key, code, text, windowsVirtualKeyCode: code.charCodeAt(code.length - 1) });
    }
};
const exported = async (take) => {
    const loop = take.replace(/\.[^.]*$/, (extension) => `-loop${extension}`);
    for (const file of [loop, `${loop}.json`]) rmSync(join(out, file), { force: true });
    await press("e", "KeyE");
    await until("it is exported", async () => [loop, `${loop}.json`].every((file) => existsSync(join(out, file))));
    await until("the page says so", async () => (await said()) === `Written: ${loop}`);
    return join(out, loop);
};
// Bytes of the page's WebAssembly memory, which never shrinks.
const memory = () => evaluate('import("./loopwright_studio.js").then((studio) => studio.default()).then((wasm) => wasm.memory.buffer.byteLength)');
// Watches the main thread: the longest piece of work, and the longest time between two frames.
const WATCH = `(() => {
    window.watched = { task: 0, frame: 0, frames: 0 };
    let before = performance.now();
    const frame = () => {
        const now = performance.now();
        watched.frame = Math.max(watched.frame, now - before);
        watched.frames += 1;
        before = now;
        if (window.watched.goesOn !== false) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) watched.task = Math.max(watched.task, duration);
    }).observe({ type: "longtask" });
})()`;
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`;

try {
    const { targetId } = await ask("Target.createTarget", { url: "about:blank" });
    session = (await ask("Target.attachToTarget", { targetId, flatten: true })).sessionId;
    for (const domain of ["Page", "Runtime", "DOM", "Network"]) await ask(`${domain}.enable`);
    await ask("Page.setDownloadBehavior", { behavior: "allow", downloadPath: out });
    for (const [width, height] of WIDTHS) {
        await size(width, height);
        const ms = await navigate();
        await sleep(1000);
        await picture(`walk-${width}`);
        console.log(`${width} x ${height}: the walk moves after ${ms} ms`);
    }
    await size(1280, 860);
    await navigate();

    // By the file input, as it is.
    let start = Date.now();
    await choose(join(files, "stroll.bvh"));
    await isOpen("stroll.bvh");
    console.log(`stroll.bvh: closed after ${Date.now() - start} ms: ${await said()}`);
    await picture("opened");
    await exported("stroll.bvh");

    // By dropping it, and with a recipe.
    await drop(join(files, "amble.glb"));
    await isOpen("amble.glb");
    console.log(await said());
    await drop(join(files, "edited.toml"));
    await sleep(1000);
    await isOpen("amble.glb");
    await picture("edited");
    await exported("amble.glb");

    await drop(join(files, "striding.fbx"));
    await until("the FBX is open, or the page was built without", async () =>
        /^striding.fbx: |built without FBX/.test(await said()));
    console.log(await said());
    if ((await said()).startsWith("striding.fbx: ")) await exported("striding.fbx");

    // What cannot be read is said, and the page goes on.
    const torn = join(out, "torn.bvh");
    writeFileSync(torn, "HIERARCHY\nROOT");
    await choose(torn);
    await until("the page says what is wrong", async () => (await said())?.startsWith("cannot open this take"));

    const long = join(files, "long.bvh");
    if (existsSync(long)) {
        await navigate();
        await evaluate(WATCH);
        await sleep(1000);
        const idle = await evaluate("({ ...watched })");
        await evaluate("watched.task = watched.frame = watched.frames = 0");
        start = Date.now();
        await choose(long);
        const steps = new Set();
        await until("the long take is open", async () => {
            const words = await said();
            steps.add(words);
            return words?.startsWith("long.bvh: ");
        });
        const ms = Date.now() - start;
        const { frame, frames, task } = await evaluate("watched");
        await picture("long");
        console.log(`long.bvh: closed after ${ms} ms, ${frames} frames meanwhile, the longest ${frame.toFixed(0)} ms, the longest ` +
            `task ${task.toFixed(0)} ms (before: ${idle.frame.toFixed(0)} and ${idle.task.toFixed(0)} ms); ${megabytes(await memory())}`);
        for (const words of steps) console.log(`  ${words}`);

        // Given up, the former take is still there, and another can be opened.
        await drop(join(files, "stroll.bvh"));
        await isOpen("stroll.bvh");
        await choose(long);
        await until("it is being read", async () => (await said())?.includes("long.bvh (2 of 3)"));
        await press("Escape", "Escape");
        await until("it is given up", async () => (await said())?.startsWith("stroll.bvh: "));
        await choose(join(files, "amble.glb"));
        await isOpen("amble.glb");
        console.log("given up, and went on");
    }

    await navigate();
    const sizes = [];
    for (let number = 0; number < NUM_TAKES; number++) {
        const name = `take-${number}.bvh`;
        const copy = join(out, name);
        writeFileSync(copy, readFileSync(join(files, "stroll.bvh")));
        await choose(copy);
        await isOpen(name);
        sizes.push(await memory());
        rmSync(copy);
    }
    const [tenth, all] = [sizes[9], sizes[NUM_TAKES - 1]];
    console.log(`memory after 10 takes ${megabytes(tenth)}, after ${NUM_TAKES} ${megabytes(all)}`);
    if (all > GROWTH_AFTER_LIST * tenth) throw new Error("memory grows with every take");

    const foreign = [...requests].filter((url) => !url.startsWith(address) && !/^(blob|data|about):/.test(url));
    if (foreign.length) throw new Error(`the page asks others: ${foreign.join(", ")}`);
    if (problems.length) throw new Error(problems.join("\n"));
} catch (error) {
    console.error(`error: ${error.message}`);
    await picture("failed").catch(() => {});
    process.exitCode = 1;
} finally {
    chromium.kill();
    server.close();
    await new Promise((done) => (chromium.exitCode === null ? chromium.once("exit", done) : done()));
    rmSync(join(out, "profile"), { recursive: true, force: true });
}
