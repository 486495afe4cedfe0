// The studio's worker: another instance of the page's WebAssembly, which reads takes, finds loops and makes them beside the page. It
// gets the compiled module first, then one piece of work after the other: its files in pieces, ["file", index, bytes, piece], and what is
// asked, ["ask", number, bytes].
import init, { take_piece, work_beside } from "./loopwright_studio.js";

let isReady;
onmessage = async ({ data }) => {
    if (data instanceof WebAssembly.Module) {
        isReady = init({ module_or_path: data });
        await isReady;
        postMessage(["ready"]);
        return;
    }
    await isReady;
    if (data[0] === "file") {
        const [, index, length, piece] = data;
        take_piece(index, length, piece);
        return;
    }
    const [, number, ask] = data;
    try {
        const pieces = work_beside(ask, (step) => postMessage(["step", number, step]));
        postMessage(["done", number, ...pieces], pieces.map((piece) => piece.buffer));
    } catch (error) {
        postMessage(["failed", number, String(error)]);
    }
};
