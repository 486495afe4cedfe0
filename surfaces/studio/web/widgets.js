// The studio's widgets as a tree of elements over the canvas, which nobody sees: screen readers browse and use them, and say which has the keyboard.
// Asked for by the key Tab, or by a button that only they meet, because it takes time in every frame.
const KINDS = { checkbox: "aria-checked", tab: "aria-selected", treeitem: "aria-selected", button: "aria-pressed", disclosure: "aria-expanded" };

export const listenForReaders = (begin, act) => {
    const ask = document.getElementById("readable");
    const start = ({ type, key }) => {
        if (type === "keydown" && key !== "Tab") return;
        removeEventListener("keydown", start, true);
        ask.remove();
        begin();
    };
    ask.addEventListener("click", start);
    // Who goes by the keyboard is told what has it.
    addEventListener("keydown", start, true);
    const holder = document.getElementById("widgets");
    holder.addEventListener("click", ({ target }) => act(target.dataset.id ?? "", "click"));
    holder.addEventListener("focusin", ({ target }) => act(target.dataset.id ?? "", "focus"));
    holder.addEventListener("keydown", (event) => {
        const wish = { ArrowRight: "more", ArrowUp: "more", ArrowLeft: "less", ArrowDown: "less", Enter: "click", " ": "click" }[event.key];
        if (!wish) return;
        event.preventDefault();
        act(event.target.dataset.id ?? "", wish);
    });
};

export const showWidgets = (text, focus) => {
    const holder = document.getElementById("widgets");
    const known = new Map([...holder.querySelectorAll("[data-id]")].map((element) => [element.dataset.id, element]));
    const now = new Map();
    // How many elements of each group are where they belong.
    const counts = new Map();
    for (const { id, within, role, name, value, number, is_on, is_enabled, level, place } of JSON.parse(text)) {
        const old = known.get(id);
        const element = old?.dataset.role === role ? old : document.createElement("div");
        now.set(id, element);
        const group = now.get(within) ?? holder;
        const at = counts.get(group) ?? 0;
        if (group.children[at] !== element) group.insertBefore(element, group.children[at] ?? null);
        counts.set(group, at + 1);
        Object.assign(element.dataset, { id, role });
        element.id = `widget-${id}`;
        if (place) {
            const [x, y, width, height] = place;
            element.style.cssText = `left:${x}px;top:${y}px;width:${width}px;height:${height}px`;
        }
        if (role === "text") {
            if (element.textContent !== name) element.textContent = name;
            continue;
        }
        const set = (key, to) => (to === null || to === undefined ? element.removeAttribute(key) : element.setAttribute(key, to));
        set("role", role === "disclosure" ? "button" : role);
        set("aria-label", name);
        set("tabindex", place && "-1");
        set(KINDS[role] ?? "aria-pressed", is_on);
        set("aria-disabled", is_enabled ? null : true);
        set("aria-level", level);
        set("aria-valuetext", value);
        for (const [at, key] of ["aria-valuemin", "aria-valuenow", "aria-valuemax"].entries()) set(key, number?.[at]);
    }
    for (const [id, element] of known) if (now.get(id) !== element) element.remove();
    document.getElementById("studio").setAttribute("aria-activedescendant", `widget-${focus}`);
};
