// What a new user does, done in the page: node tasks.mjs PAGE FILES OUT. FILES has stroll.bvh and pack.gltf, a file of several animations.
// Prints a row for each task: how often one clicks, drags, drops or presses a key, and how long the page takes for all of it. Looking for the
// next button and dragging are not counted.
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
    drive, drop, evaluate, files, frame, mouse, navigate, out, press, reach, said, size, sleep, until,
} from "./driver.mjs";

const NUM_MOVES = 8;

// Until nothing goes on beside: loops of the list are graded.
const SETTLE_MS = 2000;

let hands = 0;
let waited = 0;
const middleOf = ({ x, y, width, height }) => [x + width / 2, y + height / 2];
// Does something with the hands, and waits for what comes of it.
const act = async (doing, isDone = frame) => {
    const start = performance.now();
    hands += 1;
    await doing();
    await isDone();
    waited += performance.now() - start;
};
const clickAt = async ([x, y]) => {
    await mouse("mouseMoved", x, y);
    await mouse("mousePressed", x, y);
    await mouse("mouseReleased", x, y);
};
const click = async (words, isDone) => {
    const at = middleOf(await reach(words));
    await act(() => clickAt(at), isDone);
};
const drag = async (words, [along, down]) => {
    const [x, y] = middleOf(await reach(words));
    // A number that the keyboard has is typed, not dragged.
    await press("Escape", "Escape");
    await frame();
    await mouse("mouseMoved", x, y);
    await mouse("mousePressed", x, y);
    for (let move = 1; move <= NUM_MOVES; move++) {
        await frame();
        await mouse("mouseMoved", x + (along * move) / NUM_MOVES, y + (down * move) / NUM_MOVES);
    }
    await frame();
    // Drafts follow the mouse.
    await act(() => mouse("mouseReleased", x + along, y + down), await loop());
};
const count = () => evaluate("performance.getEntriesByName('loop shown').length");
// The loop is there with its feet held, and nothing else is said to go on.
const loop = async () => {
    const before = await count();
    return () => until("the loop is made", async () => (await count()) > before && /^[a-z]+\.(bvh|gltf): /.test(await said()));
};
const written = (...names) => () => until(`${names} are written`, async () => names.every((name) => existsSync(join(out, name))));
const open = (name) => act(() => drop(join(files, name)), () => until("it is open", async () => (await said())?.startsWith(`${name}: `)));

// Each begins with the take open, but the first and the last.
const tasks = [
    ["Open a take, and see its best loop play", "", () => open("stroll.bvh")],
    ["Find another of its loops", "stroll.bvh", async () => click("Bar of loop 2", await loop())],
    ["Compare it with the uncut stretch", "stroll.bvh", async () => act(() => press("b", "KeyB"))],
    ["Move an end", "stroll.bvh", async () => drag("End of the stretch", [40, 0])],
    ["Soften the closing", "stroll.bvh", async () => {
        await click("Close the seam");
        await reach("Blend time");
        await act(() => press("ArrowRight", "ArrowRight"), await loop());
    }],
    ["Fix a foot", "stroll.bvh", async () => {
        await click("Feet on the ground");
        await click("Contact 1 of LeftFoot", await loop());
        await drag("Stance 1", [20, 0]);
    }],
    ["Turn the head, by its neck", "stroll.bvh", async () => {
        await click("Edit the motion");
        // In the list beside the curves; a click into the view chooses it as well.
        await click("Neck");
        await click("Add: joint at a time", await loop());
        await drag("Turn y", [60, 0]);
    }],
    ["Export it for an engine", "stroll.bvh", async () => {
        await click("Export to a file");
        await click("Engine");
        await click("godot", await loop());
        await click("Export the loop", written("stroll-loop.glb", "stroll-loop.glb.json"));
    }],
    ["Open a pack, and export loops of all its animations", "", async () => {
        await open("pack.gltf");
        await click("Export several");
        await until("it is listed", async () => {
            await reach("Tick these");
            return true;
        });
        await click("Tick these");
        await click("Export to a file");
        await click("Export all that is ticked", () => until("all are written", async () => (await said())?.startsWith("Written: ")));
    }],
];

await drive(async () => {
    await size(1400, 900);
    console.log("| task | clicks, drags and keys | the page takes |\n| --- | --- | --- |");
    for (const [name, take, steps] of tasks) {
        await navigate();
        if (take) await open(take);
        await sleep(SETTLE_MS);
        [hands, waited] = [0, 0];
        await steps();
        console.log(`| ${name} | ${hands} | ${(waited / 1000).toFixed(1)} s |`);
    }
});
