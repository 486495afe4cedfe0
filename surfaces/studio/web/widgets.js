// The studio's widgets as elements over the canvas, which nobody sees: screen readers browse and use them, and say which has the keyboard. Asked
// for by the key Tab, or by a button that only they meet, because it takes time in every frame.
const KINDS = { checkbox: "aria-checked", tab: "aria-selected", button: "aria-pressed", disclosure: "aria-expanded" };

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
    const known = new Map([...holder.children].map((element) => [element.dataset.id, element]));
    const now = JSON.parse(text).map(({ id, role, name, value, number, is_on, is_enabled, place: [x, y, width, height] }) => {
        const element = known.get(id) ?? document.createElement("div");
        const set = (key, to) => (to === null || to === undefined ? element.removeAttribute(key) : element.setAttribute(key, to));
        element.dataset.id = id;
        element.id = `widget-${id}`;
        element.style.cssText = `left:${x}px;top:${y}px;width:${width}px;height:${height}px`;
        if (role === "text") {
            if (element.textContent !== name) element.textContent = name;
            return element;
        }
        set("role", role === "disclosure" ? "button" : role);
        set("aria-label", name);
        set("tabindex", "-1");
        set(KINDS[role] ?? "aria-pressed", is_on);
        set("aria-disabled", is_enabled ? null : true);
        set("aria-valuetext", value);
        for (const [at, key] of ["aria-valuemin", "aria-valuenow", "aria-valuemax"].entries()) set(key, number?.[at]);
        return element;
    });
    const kept = new Set(now);
    for (const element of [...holder.children]) if (!kept.has(element)) element.remove();
    for (const [at, element] of now.entries()) if (holder.children[at] !== element) holder.insertBefore(element, holder.children[at] ?? null);
    document.getElementById("studio").setAttribute("aria-activedescendant", `widget-${focus}`);
};
