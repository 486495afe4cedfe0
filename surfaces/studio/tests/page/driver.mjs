// A headless Chromium with the page, and the hands that drive it, for scripts that are called with PAGE FILES OUT: the folder of the page,
// the folder of what is opened, and the folder of what is left.
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";

export const [page, files, out] = process.argv.slice(2).map((path) => resolve(path));
// A picture of one colour is smaller.
const BLANK_BYTES = 12_000;
const PATIENCE_MS = 240_000;
// More widgets than the studio has.
const MOST_TABS = 250;

const types = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
const server = createServer((request, response) => {
    const path = join(page, request.url === "/" ? "index.html" : new URL(request.url, "http://page").pathname);
    if (!path.startsWith(page) || !existsSync(path)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": types[extname(path)] ?? "application/octet-stream" }).end(readFileSync(path));
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
export const address = `http://127.0.0.1:${server.address().port}/`;

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const flags = ["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--remote-debugging-pipe",
    "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-renderer-backgrounding"];
const chromium = spawn("chromium", [...flags, `--user-data-dir=${join(out, "profile")}`], {
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
});
const answers = new Map();
export const problems = [];
export const requests = new Set();
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
export const ask = (method, params = {}) =>
    new Promise((done, failed) => {
        const id = ++last;
        answers.set(id, ({ result, error }) => (error ? failed(new Error(`${method}: ${error.message}`)) : done(result)));
        chromium.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId: session })}\0`);
    });
export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
export const evaluate = async (expression) => {
    const { result, exceptionDetails } = await ask("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
    return result.value;
};
export const said = () => evaluate('document.getElementById("said")?.textContent');
export const until = async (what, isSo) => {
    const start = Date.now();
    while (!(await isSo())) {
        if (problems.length) throw new Error(problems.join("\n"));
        if (Date.now() - start > PATIENCE_MS) throw new Error(`never: ${what}; the page says "${await said()}"`);
        await sleep(20);
    }
    return Date.now() - start;
};
export const picture = async (name) => {
    const { data } = await ask("Page.captureScreenshot", { format: "png" });
    const bytes = Buffer.from(data, "base64");
    writeFileSync(join(out, `${name}.png`), bytes);
    if (bytes.length < BLANK_BYTES) throw new Error(`the picture ${name} is blank`);
    return bytes;
};
export const size = async (width, height, isTablet = false) => {
    await ask("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: isTablet });
    await ask("Emulation.setTouchEmulationEnabled", { enabled: isTablet, maxTouchPoints: 5 });
};
export const navigate = async () => {
    // As at the first visit; a page that is empty yet has no storage.
    await evaluate("(() => { try { localStorage.clear(); } catch {} })()");
    await evaluate('document.getElementById("said")?.replaceChildren()');
    await ask("Page.navigate", { url: address });
    return until("the walk is closed", async () => (await said())?.startsWith("walk.bvh: good"));
};
export const isOpen = (name) => until(`${name} is open`, async () => (await said())?.startsWith(`${name}: `));
export const choose = async (...paths) => {
    const { root } = await ask("DOM.getDocument");
    const { nodeId } = await ask("DOM.querySelector", { nodeId: root.nodeId, selector: "#take" });
    await ask("DOM.setFileInputFiles", { nodeId, files: paths });
};
export const drop = async (...paths) => {
    const data = { items: [], files: paths, dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"]) {
        await ask("Input.dispatchDragEvent", { type, x: 300, y: 300, data });
    }
};
export const press = async (key, code) => {
    for (const type of ["keyDown", "keyUp"]) {
        const text = type === "keyDown" && key.length === 1 ? key : undefined;
        await ask("Input.dispatchKeyEvent", { type, key, code, text, windowsVirtualKeyCode: code.charCodeAt(code.length - 1) });
    }
};
export const exported = async (take, as = extname(take)) => {
    const loop = `${basename(take, extname(take))}-loop${as}`;
    for (const file of [loop, `${loop}.json`]) rmSync(join(out, file), { force: true });
    await press("e", "KeyE");
    await until("it is exported", async () => [loop, `${loop}.json`].every((file) => existsSync(join(out, file))));
    await until("the page says so", async () => (await said()) === `Written: ${loop}`);
    return join(out, loop);
};
// By keyboard, widget by widget, to the one whose words begin so: the page has an element for each, and names the one that has the keyboard.
const FOCUSED = 'document.getElementById(document.getElementById("studio").getAttribute("aria-activedescendant"))';
export const frame = () => evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))");
export const focused = () => evaluate(`(() => {
    const widget = ${FOCUSED};
    const say = (key) => widget?.getAttribute("aria-" + key) ?? "";
    return [say("label"), say("valuetext"), say("valuenow")].join(" ");
})()`);
export const reach = async (words) => {
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
export const mouse = (type, x, y) =>
    ask("Input.dispatchMouseEvent", { type, x, y, button: type === "mouseMoved" ? "none" : "left", buttons: 1, clickCount: 1 });
// Fingers that go at once, each from a point to another.
export const swipe = async (...moves) => {
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
export const click = async (words) => {
    const { x, y, width, height } = await reach(words);
    await mouse("mousePressed", x + width / 2, y + height / 2);
    await mouse("mouseReleased", x + width / 2, y + height / 2);
    await frame();
};
// Times from a move of the mouse to the end of the script of the frame that shows its loop, and of each such frame alone, milliseconds.
export const CLOCK = `(() => {
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
export const middle = (times) => [...times].sort((one, other) => one - other)[times.length >> 1];
export const spread = (times) => `${middle(times).toFixed(1)} ms, at most ${Math.max(...times).toFixed(1)} ms, of ${times.length}`;
// Bytes of the page's WebAssembly memory, which never shrinks.
export const memory = () => evaluate('import("./loopwright_studio.js").then((studio) => studio.default()).then((wasm) => wasm.memory.buffer.byteLength)');
// Watches the main thread: the longest piece of work, and the longest time between two frames.
export const WATCH = `(() => {
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
export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`;

// Does the steps in a new page, and ends the browser. A step that fails leaves a picture, and the status 1.
export const drive = async (steps) => {
    try {
        const { targetId } = await ask("Target.createTarget", { url: "about:blank" });
        session = (await ask("Target.attachToTarget", { targetId, flatten: true })).sessionId;
        for (const domain of ["Page", "Runtime", "DOM", "Network"]) await ask(`${domain}.enable`);
        await ask("Page.setDownloadBehavior", { behavior: "allow", downloadPath: out });
        await steps();
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
        rmSync(join(out, "profile"), { recursive: true, force: true, maxRetries: 9, retryDelay: 200 });
    }
};
