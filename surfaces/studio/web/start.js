// Starts the studio, and says what is wrong where the browser cannot draw it, or no longer does.
const said = document.getElementById("said");
const canvas = document.getElementById("studio");

const fail = (words) => {
    said.classList.remove("drawn");
    said.textContent = words;
    const again = Object.assign(document.createElement("button"), { type: "button", textContent: "Load the page again" });
    again.addEventListener("click", () => location.reload());
    said.append(document.createElement("br"), again);
};

// A driver that starts anew, sleep, or a phone without memory take the graphics away.
canvas.addEventListener("webglcontextlost", (event) => {
    event.preventDefault();
    fail("The browser took the studio's graphics away. What you set is kept, and so are small takes; long ones have to be opened again.");
});

try {
    const studio = await import("./loopwright_studio.js");
    await studio.default();
    await studio.start_studio();
    said.classList.add("drawn");
} catch (error) {
    fail(`The studio cannot start: ${error}. It needs WebAssembly and WebGL.`);
}
