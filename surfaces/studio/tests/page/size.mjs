// What a visitor loads before the first loop moves: node size.mjs PAGE. Compresses each file of the page as a server would
// have it compressed beforehand (brotli, quality 11), and fails where the sum is more than
// 50 KB above what was accepted.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

const [page] = process.argv.slice(2);
const SCRIPTS = readdirSync(page, { recursive: true }).filter((name) => name.endsWith(".js"));
const FIRST_VIEW = ["index.html", ...SCRIPTS, "loopwright_studio_bg.wasm"];
// Bytes over the wire. A larger page is accepted with the reason for it; docs/benchmark.md states megabytes.
// 140 KB of it make sets.
const ACCEPTED = 2_387_133;
const ALLOWED_GROWTH = 50_000;

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
const limit = ACCEPTED + ALLOWED_GROWTH;
console.log(`all that the first view needs: ${sum.toLocaleString("en")} bytes, at most ${limit.toLocaleString("en")}`);
if (!(sum <= limit)) {
    console.error("error: the page grew; make it smaller, or accept the new size in size.mjs");
    process.exitCode = 1;
}
