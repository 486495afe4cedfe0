// Drives the page in a headless Chromium: node drive.mjs PAGE FILES OUT. FILES has stroll.bvh, amble.glb, apart.gltf, striding.fbx, edited.toml,
// hero.toml, which puts a take on amble.glb, dense.bvh with 208 frames per second and, if it is to be opened too, long.bvh. Opens the page
// at three widths, takes by the file input and by dropping them, a recipe with another closure, a stance and an edit, goes through the
// panels by keyboard and by mouse, exports, puts a take on a character, opens fifty takes in a row, and measures the time from a slider to
// the loop and the longest frame while a long take is opened. Leaves pictures, files and figures in the folder OUT.
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";

const [page, files, out] = process.argv.slice(2).map((path) => resolve(path));
// How long frames of the walk are counted.
const SECONDS_OF_FRAMES = 4;
const WIDTHS = [[390, 844], [1024, 768], [1920, 1080]];
// A picture of one colour is smaller.
const BLANK_BYTES = 12_000;
const PATIENCE_MS = 240_000;
const NUM_TAKES = 50;
// More widgets than the studio has.
const MOST_TABS = 250;
const NUM_MOVES = 60;
// Memory of a take that stays open, and what the allocator keeps besides.
const MOST_OF_TAKE = 8 << 20;

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
    return bytes;
};
const size = async (width, height, isTablet = false) => {
    await ask("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: isTablet });
    await ask("Emulation.setTouchEmulationEnabled", { enabled: isTablet, maxTouchPoints: 5 });
};
const navigate = async () => {
    // As at the first visit; a page that is empty yet has no storage.
    await evaluate("(() => { try { localStorage.clear(); } catch {} })()");
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
const drop = async (...paths) => {
    const data = { items: [], files: paths, dragOperationsMask: 1 };
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
const exported = async (take, as = extname(take)) => {
    const loop = `${basename(take, extname(take))}-loop${as}`;
    for (const file of [loop, `${loop}.json`]) rmSync(join(out, file), { force: true });
    await press("e", "KeyE");
    await until("it is exported", async () => [loop, `${loop}.json`].every((file) => existsSync(join(out, file))));
    await until("the page says so", async () => (await said()) === `Written: ${loop}`);
    return join(out, loop);
};
// By keyboard, widget by widget, to the one whose words begin so: the page says which one has the keyboard, and where it is.
const FOCUSED = 'document.getElementById("focused")';
const frame = () => evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))");
const focused = () => evaluate(`${FOCUSED}.textContent`);
const reach = async (words) => {
    const met = [];
    for (let count = 0; count < MOST_TABS; count++) {
        await press("Tab", "Tab");
        await frame();
        const now = await focused();
        if (now.startsWith(words)) {
            // The panel may still scroll to it.
            const place = `JSON.stringify((({ x, y, width, height }) => ({ x, y, width, height }))(${FOCUSED}.getBoundingClientRect()))`;
            let [last, rest] = [await evaluate(place), 0];
            for (let waited = 0; rest < 3 && waited < MOST_TABS; waited++) {
                await frame();
                const at = await evaluate(place);
                rest = at === last ? rest + 1 : 0;
                last = at;
            }
            return JSON.parse(last);
        }
        met.push(now);
    }
    throw new Error(`the keyboard does not reach "${words}"; it met ${[...new Set(met)].join(" | ")}`);
};
const mouse = (type, x, y) =>
    ask("Input.dispatchMouseEvent", { type, x, y, button: type === "mouseMoved" ? "none" : "left", buttons: 1, clickCount: 1 });
// Fingers that go at once, each from a point to another.
const swipe = async (...moves) => {
    const STEPS = 6;
    const at = (step) => moves.map(([from, to], id) => {
        const [x, y] = [0, 1].map((axis) => from[axis] + ((to[axis] - from[axis]) * step) / STEPS);
        return { x, y, id };
    });
    for (let step = 0; step <= STEPS; step++) {
        await ask("Input.dispatchTouchEvent", { type: step ? "touchMove" : "touchStart", touchPoints: at(step) });
        await frame();
    }
    await ask("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await frame();
    await frame();
};
const click = async (words) => {
    const { x, y, width, height } = await reach(words);
    await mouse("mousePressed", x + width / 2, y + height / 2);
    await mouse("mouseReleased", x + width / 2, y + height / 2);
    await frame();
};
// Times from a move of the mouse to the end of the script of the frame that shows its loop, and of each such frame alone, milliseconds.
const CLOCK = `(() => {
    window.clocked = { waits: [], frames: [], asked: undefined };
    addEventListener("pointermove", () => { clocked.asked ??= performance.now(); }, true);
    const request = window.requestAnimationFrame.bind(window);
    const shown = () => performance.getEntriesByName("loop shown").length;
    window.requestAnimationFrame = (draw) => request((time) => {
        const [before, start] = [shown(), performance.now()];
        draw(time);
        if (shown() === before) return;
        if (clocked.asked !== undefined) clocked.waits.push(performance.now() - clocked.asked);
        clocked.frames.push(performance.now() - start);
        clocked.asked = undefined;
    });
})()`;
const middle = (times) => [...times].sort((one, other) => one - other)[times.length >> 1];
const spread = (times) => `${middle(times).toFixed(1)} ms, at most ${Math.max(...times).toFixed(1)} ms, of ${times.length}`;
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
        await evaluate(WATCH);
        await sleep(SECONDS_OF_FRAMES * 1000);
        const frames = (await evaluate("watched.frames")) / SECONDS_OF_FRAMES;
        console.log(`${width} x ${height}: the walk moves after ${ms} ms, ${frames.toFixed(0)} frames a second`);
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
    const edited = readFileSync(await exported("amble.glb"));

    // What was open is there after a reload, as it was set.
    await evaluate('document.getElementById("said").replaceChildren()');
    await ask("Page.navigate", { url: address });
    await isOpen("amble.glb");
    if (!readFileSync(await exported("amble.glb")).equals(edited)) throw new Error("after a reload another loop is exported");
    console.log("what was open is there after a reload");

    // A glTF file with its buffers in files of their own, dropped together.
    const apart = JSON.parse(readFileSync(join(files, "apart.gltf"), "utf8"));
    const parts = apart.buffers.map((buffer, number) => {
        const part = join(out, `part ${number}.bin`);
        writeFileSync(part, Buffer.from(buffer.uri.split(",")[1], "base64"));
        buffer.uri = `data/part%20${number}.bin`;
        return part;
    });
    writeFileSync(join(out, "apart.gltf"), JSON.stringify(apart));
    await drop(join(out, "apart.gltf"), ...parts);
    await isOpen("apart.gltf");
    console.log(await said());

    // By fingers, on a tablet: one turns the view, two bring it nearer, and an end of the stretch is dragged.
    await size(1024, 768, true);
    await navigate();
    await press(" ", "Space");
    for (const [name, ...moves] of [["turned", [[300, 300], [420, 300]]], ["nearer", [[250, 300], [190, 300]], [[400, 300], [460, 300]]]]) {
        const seen = await picture(`before-${name}`);
        await swipe(...moves);
        if ((await picture(name)).equals(seen)) throw new Error(`fingers leave the view as it is: ${name}`);
    }
    const grasp = await reach("End of the stretch");
    const middleOf = [grasp.x + grasp.width / 2, grasp.y + grasp.height / 2];
    await swipe([middleOf, [middleOf[0] + 48, middleOf[1]]]);
    const moved = (await reach("End of the stretch")).x - grasp.x;
    if (moved < 20) throw new Error(`a finger moves the end by ${moved} points`);
    await size(1280, 860);
    await navigate();
    console.log("by fingers");

    // By keyboard and by mouse, in the panels.
    await choose(join(files, "stroll.bvh"));
    await isOpen("stroll.bvh");
    const byKey = readFileSync(await exported("stroll.bvh"));
    for (const file of ["stroll-loop.bvh", "stroll-loop.bvh.json"]) rmSync(join(out, file));
    await click("Export to a file");
    await click("Export the loop");
    await until("a click exports it", async () => existsSync(join(out, "stroll-loop.bvh.json")));
    if (!readFileSync(join(out, "stroll-loop.bvh")).equals(byKey)) throw new Error("a click exports another loop");
    await click("Close the seam");
    const before = (await reach("Blend time")) && (await focused());
    await press("ArrowRight", "ArrowRight");
    await until("an arrow moves the slider", async () => (await focused()) !== before);
    await picture("by-keyboard");
    await click("Undo");
    await reach("Blend time");
    if ((await focused()) !== before) throw new Error(`undone, the slider says ${await focused()} instead of ${before}`);
    console.log("by keyboard and by mouse in the panels");

    // A slider that is dragged.
    await choose(join(files, "dense.bvh"));
    await isOpen("dense.bvh");
    const slider = await reach("Blend time");
    await evaluate(CLOCK);
    // Its rail is to the left of its value.
    const [y, from, to] = [slider.y + slider.height / 2, slider.x - 110, slider.x - 20];
    await mouse("mouseMoved", from, y);
    await mouse("mousePressed", from, y);
    for (let move = 1; move <= NUM_MOVES; move++) {
        // A move by less than a step of the slider shows nothing.
        await evaluate("clocked.asked = undefined");
        await mouse("mouseMoved", from + ((to - from) * move) / NUM_MOVES, y);
        await frame();
    }
    const { waits, frames: drafts } = await evaluate("clocked");
    await mouse("mouseReleased", to, y);
    await isOpen("dense.bvh");
    await picture("dragged");
    if (waits.length < NUM_MOVES / 2) throw new Error(`the slider moved the loop ${waits.length} times of ${NUM_MOVES}`);
    console.log(`a slider: the loop is shown after ${spread(waits)}; the frame that makes and draws it takes ${spread(drafts)}`);

    // On a character, in the worker.
    await drop(join(files, "hero.toml"));
    await until("the character is asked for", async () => (await said())?.includes("drop it as a character first"));
    await click("Edit the motion");
    await click("Smoothing and character");
    await click("Put the loop on the next character");
    await evaluate(WATCH);
    const read = async (...paths) => {
        const count = "performance.getEntriesByName('loop shown').length";
        const before = await evaluate(count);
        for (const path of paths) await drop(path);
        await until("the take is read anew", async () =>
            (await evaluate(count)) > before && (await said())?.startsWith("dense.bvh: "));
    };
    await read(join(files, "amble.glb"));
    await picture("on-a-character");
    // The recipe names the character by a folder, of which a browser knows nothing.
    await read(join(files, "hero.toml"));
    await exported("dense.bvh", ".glb");
    console.log(`on a character, and exported; the longest task ${(await evaluate("watched.task")).toFixed(0)} ms`);

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
    if (all - tenth > MOST_OF_TAKE * (NUM_TAKES - 10)) throw new Error("takes that stay open fill too much memory");

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
