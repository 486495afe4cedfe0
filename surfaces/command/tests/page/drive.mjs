// Drives pages of `loopwright report` in a headless Chromium: node drive.mjs TOOLS MANY ONE MESH CAPSULES OUT. TOOLS is a folder with the
// packages axe-core and playwright-core, MANY a page of several loops, ONE a page of one loop whose take is known, MESH one of a character
// with a mesh, CAPSULES the same without; pictures go into OUT.
import { mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [tools, many, one, mesh, capsules, out] = process.argv.slice(2).map((path) => resolve(path));
const require = createRequire(join(tools, "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core"), "utf8");
// WebGL without a graphics card.
const BROWSER = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const WIDTHS = [390, 1400];
const SCRIPT_BYTES = 20 * 1024;
// A picture of one colour is smaller.
const BLANK_BYTES = 12_000;

const faults = [];
const wrong = (what) => {
  throw new Error(what);
};
const same = (found, wanted, what) => {
  if (found !== wanted) wrong(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
};

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: BROWSER });
try {
  for (const [name, path] of [["many", many], ["one", one], ["mesh", mesh]]) {
    const script = readFileSync(path, "utf8").match(/<script>([^]*)<\/script>/)[1];
    if (Buffer.byteLength(script) > SCRIPT_BYTES) wrong(`the script has ${Buffer.byteLength(script)} bytes`);
    for (const width of WIDTHS) {
      for (const colorScheme of ["light", "dark"]) {
        const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
        const page = await open(context, path);
        await page.waitForTimeout(300);
        const shot = await page.screenshot({ path: join(out, `${name}-${width}-${colorScheme}.png`) });
        if (shot.length < BLANK_BYTES) wrong(`${name} at ${width} px, ${colorScheme}, is blank`);
        await fits(page, `${name} at ${width} px`);
        await check(page, `${name} at ${width} px, ${colorScheme}`);
        if (name === "many") {
          await page.locator("#loops tbody a").first().click();
          await page.waitForTimeout(300);
          await fits(page, `a loop opened at ${width} px`);
          await page.screenshot({ path: join(out, `opened-${width}-${colorScheme}.png`) });
          await check(page, `a loop opened at ${width} px, ${colorScheme}`);
        }
        await page.screenshot({ path: join(out, `${name}-${width}-${colorScheme}-all.png`), fullPage: true });
        await context.close();
      }
    }
    console.log(`${name}: ${statSync(path).size} bytes, script ${Buffer.byteLength(script)} bytes, nothing serious by axe-core`);
  }
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  await player(await open(context, one));
  await player(await open(context, mesh));
  await meshes(context);
  await table(await open(context, many));
  await print(await open(context, many));
  const calm = await browser.newContext({ viewport: { width: 1400, height: 900 }, reducedMotion: "reduce" });
  const page = await open(calm, one);
  same(await page.locator("[data-part=play]").textContent(), "Play", "who wants no motion is shown none");
  if (faults.length) wrong(faults.join("\n"));
  console.log("table, player, printing and reduced motion work by keyboard");
} catch (error) {
  console.error(`error: ${[error.message, ...faults].join("\n")}`);
  process.exitCode = 1;
} finally {
  await browser.close();
}

/** Opens a page; errors in it, and whatever it asks anybody for, end the run. */
async function open(context, path) {
  const page = await context.newPage();
  const address = pathToFileURL(path).href;
  page.on("pageerror", (error) => faults.push(`the page fails: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && faults.push(`the page says: ${message.text()}`));
  page.on("request", (request) => request.url() === address || faults.push(`the page asks for ${request.url()}`));
  await page.goto(address);
  return page;
}

/** Nothing sticks out at the side. */
async function fits(page, what) {
  const over = await page.evaluate(() => {
    const widest = [...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > innerWidth + 1);
    const name = widest.map((one) => `${one.tagName}.${one.className}`).slice(0, 3);
    return document.documentElement.scrollWidth > innerWidth ? `${document.documentElement.scrollWidth} px: ${name}` : "";
  });
  if (over) wrong(`${what} is too wide: ${over}`);
}

/** Nothing serious by axe-core. */
async function check(page, what) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  const said = serious.map(({ id, help, nodes }) => `${id} (${help}): ${nodes.slice(0, 3).map((node) => node.html).join(" | ")}`);
  if (said.length) wrong(`${what}: ${said.join("\n")}`);
  const slight = violations.filter((one) => !serious.includes(one)).map(({ id, nodes }) => `${id}: ${nodes[0].html}`);
  if (slight.length) console.log(`${what}: slight: ${slight.join("; ")}`);
}

/** The player, by keyboard alone. */
async function player(page) {
  const part = (name) => page.locator(`[data-part=${name}]`);
  const picture = () => part("stage").evaluate((canvas) => canvas.toDataURL());
  const focused = () => page.evaluate(() => document.activeElement.dataset.part);
  for (let k = 0; k < 40 && (await focused()) !== "stage"; k++) await page.keyboard.press("Tab");
  same(await focused(), "stage", "Tab gets to the figure");
  same(await part("play").textContent(), "Pause", "it plays");
  const moving = await picture();
  await page.waitForTimeout(200);
  if ((await picture()) === moving) wrong("it does not move");
  await page.keyboard.press("Space");
  same(await part("play").textContent(), "Play", "space stops it");
  await page.waitForTimeout(60);
  let last = await picture();
  const changes = async (what) => {
    let now = last;
    // Without a graphics card a mesh takes its time.
    for (let k = 0; k < 25 && now === last; k++) {
      await page.waitForTimeout(80);
      now = await picture();
    }
    if (now === last) wrong(`${what} changes nothing`);
    last = now;
  };
  for (const key of ["ArrowLeft", "ArrowUp", "+", ".", ","]) {
    await page.keyboard.press(key);
    await changes(key);
  }
  await page.keyboard.press("u");
  same(await part("uncut").getAttribute("aria-pressed"), "true", "U shows the uncut stretch");
  await changes("U");
  await page.keyboard.press("u");
  await page.keyboard.press("p");
  same(await part("place").getAttribute("aria-pressed"), "true", "P keeps it in place");
  await changes("P");
  await page.keyboard.press("Tab");
  same(await focused(), "play", "play follows the figure");
  await page.keyboard.press("Tab");
  same(await focused(), "scrub", "time follows play");
  const time = () => part("scrub").getAttribute("aria-valuetext");
  const before = await time();
  for (let k = 0; k < 50; k++) await page.keyboard.press("ArrowRight");
  await changes("the time");
  if ((await time()) === before) wrong(`the time stays ${before}`);
  await page.keyboard.press("Tab");
  same(await focused(), "speed", "speed follows time");
  await page.keyboard.press("ArrowUp");
  same(await part("speed").inputValue(), "0.5", "the speed");
  await part("beside").focus();
  await page.keyboard.press("ArrowDown");
  same(await part("beside").inputValue(), "uncut", "beside it stands its take");
  await changes("another beside it");
  await page.screenshot({ path: join(out, "beside.png"), fullPage: true });
}

/** A mesh is drawn where capsules would be, and in its colours; without WebGL there are capsules. */
async function meshes(context) {
  const seen = async (page) => {
    await page.locator("[data-part=play]").click();
    await page.locator("[data-part=scrub]").fill("300");
    await page.waitForTimeout(200);
    return page.locator("[data-part=stage]").evaluate((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const found = { left: canvas.width, right: 0, blue: 0 };
      for (let i = 0; i < data.length; i += 4) {
        // The grid is faint; the body is not.
        if (data[i + 3] < 250 || Math.max(data[i], data[i + 1], data[i + 2]) > 200) continue;
        const x = (i / 4) % canvas.width;
        found.left = Math.min(found.left, x);
        found.right = Math.max(found.right, x);
        if (data[i + 2] > data[i] + 80) found.blue++;
      }
      return found;
    });
  };
  const [own, plain] = [await seen(await open(context, mesh)), await seen(await open(context, capsules))];
  if (plain.blue < 500) wrong(`capsules have no left side: ${JSON.stringify(plain)}`);
  if (own.blue > 50) wrong(`the mesh is not drawn, or not alone: ${JSON.stringify(own)}`);
  const width = plain.right - plain.left;
  if (Math.abs(own.left - plain.left) > 0.2 * width || Math.abs(own.right - plain.right) > 0.2 * width) {
    wrong(`the mesh is elsewhere: ${JSON.stringify(own)}, the capsules ${JSON.stringify(plain)}`);
  }
  const poor = await context.newPage();
  await poor.addInitScript(() => {
    const all = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind) {
      return kind === "webgl" ? null : all.call(this, kind);
    };
  });
  await poor.goto(pathToFileURL(mesh).href);
  const without = await seen(poor);
  if (without.blue < 500) wrong(`nothing is drawn without WebGL: ${JSON.stringify(without)}`);
}

/** Sorting, filtering and opening. */
async function table(page) {
  const names = () => page.locator("#loops tbody tr:visible a").allTextContents();
  const listed = await names();
  const speed = page.locator("#loops thead button", { hasText: "Speed" });
  await speed.focus();
  await page.keyboard.press("Enter");
  const column = () => page.locator("#loops tbody tr:visible td:nth-child(5)").allTextContents();
  const up = (await column()).map(Number);
  if (up.some((value, k) => k > 0 && value < up[k - 1])) wrong(`not sorted: ${up}`);
  same(await speed.locator("xpath=..").getAttribute("aria-sort"), "ascending", "the heading says so");
  await page.keyboard.press("Enter");
  same((await column()).map(Number).join(), [...up].reverse().join(), "the other way");
  await page.locator("#sort").selectOption("-1");
  same((await names()).join(), listed.join(), "as listed");
  await page.locator("#find").fill(listed[1]);
  same((await names()).join(), listed[1], "found by name");
  same(await page.locator("#count").textContent(), `1 of ${listed.length} loops`, "counted");
  await page.locator("#find").fill("");
  await page.locator("#grade").selectOption({ index: 1 });
  if ((await names()).length > listed.length) wrong("filtered by grade");
  await page.locator("#grade").selectOption("");
  await page.locator("#loops tbody a").nth(2).focus();
  await page.keyboard.press("Enter");
  await page.waitForTimeout(100);
  same(await page.locator("details.loop[open] h2").textContent(), listed[2], "Enter opens a loop");
  same(await page.locator("#theme").textContent(), "Dark colours", "the theme");
  await page.locator("#theme").focus();
  await page.keyboard.press("Enter");
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  same(await ground(), "rgb(16, 21, 27)", "dark");
}

/** As printed: open loops, and nothing to press. */
async function print(page) {
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print" });
  await page.screenshot({ path: join(out, "print.png"), fullPage: true });
  const closed = await page.locator("details.loop:not([open])").count();
  same(closed, 0, "loops closed in print");
  if (await page.locator(".controls").first().isVisible().catch(() => false)) wrong("buttons are printed");
}
