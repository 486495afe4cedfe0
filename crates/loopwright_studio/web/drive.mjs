// Drives the page in a headless Chromium: node drive.mjs PAGE TAKE OUT. Opens the page at three widths, takes a picture of each,
// opens TAKE by the file input, exports the loop, and leaves pictures and files in the folder OUT.
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";

const [page, take, out] = process.argv.slice(2).map((path) => resolve(path));
const WIDTHS = [[390, 844], [1024, 768], [1920, 1080]];
// A picture of one colour is smaller.
const BLANK_BYTES = 12_000;
const PATIENCE_MS = 120_000;

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
const flags = ["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--remote-debugging-pipe"];
const chromium = spawn("chromium", [...flags, `--user-data-dir=${join(out, "profile")}`], {
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
});
const answers = new Map();
const problems = [];
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
const requests = new Set();
let last = 0;
let session;
const ask = (method, params = {}) =>
    new Promise((done, failed) => {
        const id = ++last;
        answers.set(id, ({ result, error }) => (error ? failed(new Error(`${method}: ${error.message}`)) : done(result)));
        chromium.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId: session })}\0`);
    });
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const evaluate = async (expression) => (await ask("Runtime.evaluate", { expression })).result.value;
const until = async (what, isSo) => {
    const start = Date.now();
    while (!(await isSo())) {
        if (problems.length) throw new Error(problems.join("\n"));
        if (Date.now() - start > PATIENCE_MS) throw new Error(`never: ${what}; the page says "${await said()}"`);
        await sleep(20);
    }
    return Date.now() - start;
};
const said = () => evaluate('document.getElementById("said").textContent');
const picture = async (name) => {
    const { data } = await ask("Page.captureScreenshot", { format: "png" });
    const bytes = Buffer.from(data, "base64");
    writeFileSync(join(out, `${name}.png`), bytes);
    if (bytes.length < BLANK_BYTES) throw new Error(`the picture ${name} is blank`);
};

try {
    const { targetId } = await ask("Target.createTarget", { url: "about:blank" });
    session = (await ask("Target.attachToTarget", { targetId, flatten: true })).sessionId;
    for (const domain of ["Page", "Runtime", "DOM", "Network"]) await ask(`${domain}.enable`);
    await ask("Page.setDownloadBehavior", { behavior: "allow", downloadPath: out });
    for (const [width, height] of WIDTHS) {
        const metrics = { width, height, deviceScaleFactor: 1, mobile: false };
        await ask("Emulation.setDeviceMetricsOverride", metrics);
        await ask("Page.navigate", { url: address });
        const ms = await until("the walk is closed", async () => (await said())?.startsWith("walk.bvh: good"));
        await sleep(1000);
        await picture(`walk-${width}`);
        console.log(`${width} x ${height}: the walk moves after ${ms} ms`);
    }
    const { root } = await ask("DOM.getDocument");
    const { nodeId } = await ask("DOM.querySelector", { nodeId: root.nodeId, selector: "#take" });
    await ask("DOM.setFileInputFiles", { nodeId, files: [take] });
    const name = basename(take);
    const ms = await until(`${name} is open`, async () => (await said())?.startsWith(`${name}: `));
    console.log(`${name}: closed after ${ms} ms: ${await said()}`);
    await sleep(500);
    await picture("opened");
    for (const type of ["keyDown", "keyUp"]) {
        const text = type === "keyDown" ? "e" : undefined;
        await ask("Input.dispatchKeyEvent", { type, key: "e", code: "KeyE", text, windowsVirtualKeyCode: 69 });
    }
    const loop = name.replace(/\.[^.]*$/, (extension) => `-loop${extension}`);
    await until("it is exported", async () => [loop, `${loop}.json`].every((file) => existsSync(join(out, file))));
    await until("the page says so", async () => (await said()) === `Written: ${loop}`);
    const foreign = [...requests].filter((url) => !url.startsWith(address) && !/^(blob|data|about):/.test(url));
    if (foreign.length) throw new Error(`the page asks others: ${foreign.join(", ")}`);
    console.log(`exported ${loop}`);
} catch (error) {
    console.error(`error: ${error.message}`);
    process.exitCode = 1;
} finally {
    chromium.kill();
    server.close();
    await new Promise((done) => (chromium.exitCode === null ? chromium.once("exit", done) : done()));
    rmSync(join(out, "profile"), { recursive: true, force: true });
}
