// Drives the page in a headless Chromium: node drive.mjs PAGE FILES OUT. FILES has stroll.bvh, amble.glb, apart.gltf, striding.fbx, edited.toml,
// hero.toml, which puts a take on amble.glb, dense.bvh with 208 frames per second, the folder hero, a set, and, if they are to be opened too, long.bvh
// and hour.bvh. Opens the page
// at three widths, takes by the file input and by dropping them, a recipe with another closure, a stance and an edit, goes through the
// panels by keyboard and by mouse, exports, puts a take on a character, opens fifty takes in a row, and measures the time from a slider to
// the loop and the longest frame while a long take is opened. Leaves pictures, files and figures in the folder OUT.
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
    CLOCK, WATCH, address, ask, choose, click, drive, drop, evaluate, exported, files, focused, frame, isOpen, megabytes, memory, mouse,
    navigate, out, picture, press, reach, said, size, sleep, spread, swipe, until,
} from "./driver.mjs";

// How long frames of the walk are counted.
const SECONDS_OF_FRAMES = 4;
const WIDTHS = [[390, 844], [1024, 768], [1920, 1080]];
const NUM_TAKES = 50;
const NUM_MOVES = 60;
// Memory of a take that stays open, and what the allocator keeps besides.
const MOST_OF_TAKE = 8 << 20;
// Longest piece of work of the page itself while a take of an hour is opened: twice what is promised of a machine that does nothing else.
const MOST_TASK_MS = 200;
const MOST_RUNS = 3;

await drive(async () => {
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
    // The first swipe over the panels of a phone moves them.
    await size(390, 844, true);
    await navigate();
    await press(" ", "Space");
    const unmoved = await picture("before-swipe");
    await swipe([[200, 760], [200, 560]]);
    await sleep(500);
    if ((await picture("swiped")).equals(unmoved)) throw new Error("the first swipe moves nothing");
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
    await click("Close the character amble.glb");
    console.log(`on a character, and exported; the longest task ${(await evaluate("watched.task")).toFixed(0)} ms`);

    await drop(join(files, "striding.fbx"));
    await until("the FBX is open, or the page was built without", async () =>
        /^striding.fbx: |built without FBX/.test(await said()));
    console.log(await said());
    if ((await said()).startsWith("striding.fbx: ")) await exported("striding.fbx");

    // A set, whose character is steered by keys, by a finger and by a game pad.
    const set = join(files, "hero");
    const ofSet = readdirSync(set).map((name) => join(set, name));
    const plays = (what) => until(`the set plays ${what}`, async () => new RegExp(`^Set \\w+: ${what}`).test(await said()));
    for (const [width, height, isTablet] of [[1280, 860, false], [390, 844, true]]) {
        await size(width, height, isTablet);
        await navigate();
        await drop(...ofSet);
        await plays("idle");
        if (isTablet) {
            const stick = await reach("Stick: drag to walk");
            const [x, y] = [stick.x + stick.width / 2, stick.y + stick.height / 2];
            await ask("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] });
            await frame();
            await ask("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: [{ x: x + 30, y: y - 30 }] });
            await plays("(?!idle)");
            await sleep(1500);
            await picture("steered-by-finger");
            await ask("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
        } else {
            const key = { key: "w", code: "KeyW", windowsVirtualKeyCode: 87 };
            await ask("Input.dispatchKeyEvent", { type: "keyDown", ...key });
            await plays("(?!idle)");
            await sleep(1500);
            await picture("steered-by-key");
            await ask("Input.dispatchKeyEvent", { type: "keyUp", ...key });
        }
        await plays("idle");
        await evaluate("navigator.getGamepads = () => [null, { axes: [0.6, -0.8] }]");
        await plays("(?!idle)");
        await evaluate("navigator.getGamepads = () => [null, { axes: [0.05, 0] }]");
        await plays("idle");
    }
    await size(1280, 860);
    await navigate();
    console.log("a set, by keys, by a finger and by a game pad");

    // What cannot be read is said, and the page goes on.
    const torn = join(out, "torn.bvh");
    writeFileSync(torn, "HIERARCHY\nROOT");
    await choose(torn);
    await until("the page says what is wrong", async () => (await said())?.startsWith("cannot open this file"));

    for (const name of ["long.bvh", "hour.bvh"]) {
        const long = join(files, name);
        if (!existsSync(long)) continue;
        let least = Infinity;
        // The machine may do other things meanwhile.
        for (let run = 0; run < MOST_RUNS && least > MOST_TASK_MS; run++) {
            await navigate();
            await evaluate(WATCH);
            await sleep(1000);
            await evaluate("watched.task = watched.frame = watched.frames = 0");
            start = Date.now();
            await choose(long);
            const steps = new Set();
            await until("the long take is open", async () => {
                const words = await said();
                steps.add(words);
                return words?.startsWith(`${name}: `);
            });
            const ms = Date.now() - start;
            // It plays, and its loops are graded meanwhile.
            await sleep(SECONDS_OF_FRAMES * 1000);
            const { frame, frames, task } = await evaluate("watched");
            least = Math.min(least, task);
            console.log(`${name}: closed after ${ms} ms, ${frames} frames meanwhile, the longest ${frame.toFixed(0)} ms, the longest ` +
                `task ${task.toFixed(0)} ms; ${megabytes(await memory())}; said: ${[...steps].join(" | ")}`);
        }
        await picture(name);
        if (least > MOST_TASK_MS) throw new Error(`the page stands still for ${least} ms while ${name} is opened`);
    }

    const long = join(files, "long.bvh");
    if (existsSync(long)) {
        await navigate();
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
});
