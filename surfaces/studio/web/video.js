// Pictures of a video, which the browser encodes while they are shown one after the other: WebM, or MP4 where it has that alone.
const TYPES = ["video/webm;codecs=vp9", "video/webm", "video/mp4"];
const BITS_PER_SECOND = 6e6;

export class Pictures {
    constructor(width, height, secsEach) {
        Object.assign(this, { width, height, secsEach, all: [] });
    }

    add(rgba) {
        this.all.push(new ImageData(new Uint8ClampedArray(rgba), this.width, this.height));
    }

    // The kind of the file, and its bytes.
    async encoded() {
        const mimeType = TYPES.find((type) => globalThis.MediaRecorder?.isTypeSupported(type));
        if (!mimeType) throw new Error("it has no MediaRecorder");
        const canvas = Object.assign(document.createElement("canvas"), { width: this.width, height: this.height });
        const context = canvas.getContext("2d");
        const stream = canvas.captureStream(0);
        const [track] = stream.getVideoTracks();
        const recorder = new MediaRecorder(stream, { mimeType, videoBitsPerSecond: BITS_PER_SECOND });
        const parts = [];
        recorder.ondataavailable = ({ data }) => parts.push(data);
        const ended = new Promise((done) => (recorder.onstop = done));
        recorder.start();
        const start = performance.now();
        for (const [number, picture] of this.all.entries()) {
            context.putImageData(picture, 0, 0);
            track.requestFrame();
            const next = start + 1e3 * this.secsEach * (number + 1);
            await new Promise((done) => setTimeout(done, next - performance.now()));
        }
        recorder.stop();
        await ended;
        return [mimeType, new Uint8Array(await new Blob(parts).arrayBuffer())];
    }
}
