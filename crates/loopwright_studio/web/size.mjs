// What a visitor loads before the first loop moves: node size.mjs PAGE MEASUREMENTS. Compresses each file of the page as a server would
// have it compressed beforehand (brotli, quality 11), and compares the sum with the one that the page of measurements states. Fails
// where it is larger by more than 100 KB.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

const [page, measurements] = process.argv.slice(2);
const FIRST_VIEW = ["index.html", "loopwright_studio.js", "loopwright_studio_bg.wasm", "worker.js"];
const ALLOWED_GROWTH = 100_000;

const options = {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS },
};
let sum = 0;
for (const name of FIRST_VIEW) {
    const bytes = readFileSync(join(page, name));
    const compressed = brotliCompressSync(bytes, options).length;
    sum += compressed;
    console.log(`| \`${name}\` | ${bytes.length.toLocaleString("en")} | ${compressed.toLocaleString("en")} |`);
}
const stated = /^\| all that the first view needs \|[^|]*\| ([0-9,]+) \|$/m.exec(readFileSync(measurements, "utf8"));
const limit = Number(stated?.[1].replaceAll(",", "")) + ALLOWED_GROWTH;
console.log(`all that the first view needs: ${sum.toLocaleString("en")} bytes, at most ${limit.toLocaleString("en")}`);
if (!(sum <= limit)) {
    console.error("error: the page grew; make it smaller, or state the new figure in docs/measurements/studio.md with the reason");
    process.exitCode = 1;
}
