// The studio's worker: another instance of the page's WebAssembly, which reads takes, finds loops and makes them beside the page. It
// gets the compiled module first, then one piece of work after the other: [number, what is asked, the file].
import init, { work_beside } from "./loopwright_studio.js";

let isReady;
onmessage = async ({ data }) => {
    if (data instanceof WebAssembly.Module) {
        isReady = init({ module_or_path: data });
        await isReady;
        postMessage(["ready"]);
        return;
    }
    await isReady;
    const [number, ask, file] = data;
    try {
        const pieces = work_beside(ask, file, (step) => postMessage(["step", number, step]));
        postMessage(["done", number, ...pieces], pieces.map((piece) => piece.buffer));
    } catch (error) {
        postMessage(["failed", number, String(error)]);
    }
};
