// The page of `loopwright report`: sorts and filters the table, moves the thumbnails, and plays loops. It needs nothing but the page.
"use strict";
(() => {
  const $ = (what, where = document) => where.querySelector(what);
  const $$ = (what, where = document) => [...where.querySelectorAll(what)];
  const body = $("#loops tbody");
  const rows = $$("tr", body);
  const sections = $$("details.loop");
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  document.documentElement.classList.add("js");

  // Clips: of a loop the closed one, and the uncut stretch of its take where that is known; unpacked when they are first shown.
  const unpacked = new Map();
  const numbers = (text, Kind) => new Kind(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
  const unpack = (clip) => {
    const at = Float32Array.from(numbers(clip.d, Int16Array), (x, i) => x * clip.q + clip.o[i % 3]);
    return { ...clip, at, ...(clip.s && { turns: numbers(clip.t, Int16Array), b: numbers(clip.b, Float32Array) }) };
  };
  const clipsOf = (i) => {
    if (!unpacked.has(i)) unpacked.set(i, JSON.parse($("script.clip", sections[i]).textContent).map(unpack));
    return unpacked.get(i);
  };

  // The two samples around a phase counted in periods, and the share of the later one.
  const around = (clip, phase) => {
    const time = (phase - Math.floor(phase)) * clip.n;
    const key = Math.min(Math.floor(time), clip.n - 1);
    // An uncut stretch has the pose at its end as well, so that the jump shows.
    return [key, clip.e || key + 1 < clip.n ? key + 1 : 0, time - key];
  };
  // Points in the axes of the root.
  const pose = (clip, phase) => {
    const [key, next, share] = around(clip, phase);
    const [from, to] = [key, next].map((sample) => sample * clip.k * 3);
    const points = new Float32Array(clip.k * 3);
    for (let j = 0; j < points.length; j++) {
      points[j] = clip.at[from + j] + share * (clip.at[to + j] - clip.at[from + j]);
    }
    return points;
  };
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  // root(t) = start * exp(t * twist), as a function of a point.
  const rootAt = (clip, secs) => {
    const rate = Math.hypot(...clip.w);
    const axis = clip.w.map((w) => (rate > 1e-9 ? w / rate : 0));
    const angle = rate * secs;
    const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
    const [av, aav] = [cross(axis, clip.v), cross(axis, cross(axis, clip.v))];
    const gone = clip.v.map((v, j) =>
      rate > 1e-9 ? v * secs + ((1 - cos) * av[j] + (angle - sin) * aav[j]) / rate : v * secs);
    const [q, w] = [clip.r.slice(3, 6), clip.r[6]];
    return (p) => {
      const ap = cross(axis, p);
      const aap = cross(axis, ap);
      const m = p.map((x, j) => x + sin * ap[j] + (1 - cos) * aap[j] + gone[j]);
      const qm = cross(q, m);
      const qqm = cross(q, qm);
      return m.map((x, j) => x + 2 * (w * qm[j] + qqm[j]) + clip.r[j]);
    };
  };

  // Colours come from the style of the page, so that both themes have their own.
  let inks = {};
  const readInks = () => {
    const probe = $("h1");
    for (const name of ["left", "right", "mid", "line", "bg"]) {
      probe.style.color = `var(--${name})`;
      inks[name] = getComputedStyle(probe).color;
    }
    probe.style.color = "";
    for (const row of rows) row.isDrawn = false;
  };
  const isDark = () => {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  };
  const showTheme = () => {
    const other = isDark() ? "Light" : "Dark";
    $("#theme").textContent = `${other} colours`;
    readInks();
  };
  $("#theme").onclick = () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    showTheme();
    player.isStale = true;
  };
  matchMedia("(prefers-color-scheme: dark)").onchange = () => {
    showTheme();
    player.isStale = true;
  };

  // Meshes, drawn on a canvas of their own; without WebGL there are capsules.
  const sheet = document.createElement("canvas");
  let gl;
  const ready = () => {
    const program = gl.createProgram();
    [[gl.VERTEX_SHADER, "attribute vec3 p,n,c;uniform mat4 m;uniform vec3 l;varying vec3 v;void main(){gl_Position=m*vec4(p,1);"
      + "v=c*(.58+.54*max(dot(normalize(n+1e-6),l),0.));}"],
    [gl.FRAGMENT_SHADER, "precision mediump float;varying vec3 v;void main(){gl_FragColor=vec4(v,1);}"]].forEach(([kind, text]) => {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    });
    ["p", "n", "c"].forEach((name, k) => {
      gl.bindAttribLocation(program, k, name);
      gl.enableVertexAttribArray(k);
    });
    gl.linkProgram(program);
    gl.useProgram(program);
    gl.enable(gl.DEPTH_TEST);
    return ["m", "l"].map((name) => gl.getUniformLocation(program, name));
  };
  let places;
  const fill = (kind, buffer, values) => {
    gl.bindBuffer(kind, buffer);
    if (values) gl.bufferData(kind, values, gl.STREAM_DRAW);
  };
  const meshes = new Map();
  const meshOf = ({ s }) => {
    if (!s) return null;
    if (gl === undefined) gl = sheet.getContext("webgl");
    if (!gl || gl.isContextLost()) return null;
    if (!meshes.has(s)) {
      const text = $(`#mesh-${s}`)?.textContent;
      const mesh = text && JSON.parse(text);
      if (mesh) {
        const kinds = { p: Int16Array, n: Int8Array, c: Uint8Array, b: Uint16Array, w: Uint8Array, t: Uint16Array };
        for (const name in kinds) mesh[name] = numbers(mesh[name], kinds[name]);
        mesh.p = Float32Array.from(mesh.p, (x, i) => x * mesh.q + mesh.o[i % 3]);
        mesh.buffers = [0, 1, 2, 3].map(() => gl.createBuffer());
        places ||= ready();
        fill(gl.ARRAY_BUFFER, mesh.buffers[2], mesh.c);
        fill(gl.ELEMENT_ARRAY_BUFFER, mesh.buffers[3], mesh.t);
      }
      meshes.set(s, mesh);
    }
    return meshes.get(s);
  };
  // Columns of the matrices of bones: joint(phase) * joint_from_mesh.
  const bonesAt = (clip, phase, points) => {
    const [key, next, share] = around(clip, phase);
    const joints = clip.u.map((point, k) => {
      const [a, b] = [key, next].map((sample) => {
        const q = [...clip.turns.subarray(3 * (sample * clip.u.length + k)).slice(0, 3)].map((x) => x / 32767);
        return [...q, Math.sqrt(Math.max(0, 1 - q[0] * q[0] - q[1] * q[1] - q[2] * q[2]))];
      });
      const side = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -share : share;
      const mean = a.map((x, j) => x * (1 - share) + b[j] * side);
      const length = Math.hypot(...mean);
      return [mean.map((x) => x / length), points.subarray(3 * point, 3 * point + 3)];
    });
    const bones = new Float32Array(clip.b.length);
    for (let i = 0; i < bones.length; i += 3) {
      const [[x, y, z, w], at] = joints[clip.j[Math.floor(i / 12)]];
      const column = [...clip.b.subarray(i, i + 3)];
      const qc = cross([x, y, z], column);
      const qqc = cross([x, y, z], qc);
      for (let j = 0; j < 3; j++) bones[i + j] = column[j] + 2 * (w * qc[j] + qqc[j]) + (i % 12 === 9 ? at[j] : 0);
    }
    return bones;
  };
  const drawMesh = (pen, [left, width, height], mesh, bones, [matrix, light]) => {
    const count = mesh.p.length;
    const [points, normals] = [new Float32Array(count), new Float32Array(count)];
    for (let i = 0; i < count; i++) {
      const [v, axis] = [Math.floor(i / 3), i % 3];
      for (let k = 4 * v; k < 4 * v + 4; k++) {
        const share = mesh.w[k] / 255;
        if (!share) continue;
        const bone = 12 * mesh.b[k] + axis;
        for (let j = 0; j < 3; j++) {
          points[i] += share * bones[bone + 3 * j] * mesh.p[3 * v + j];
          normals[i] += share * bones[bone + 3 * j] * mesh.n[3 * v + j];
        }
        points[i] += share * bones[bone + 9];
      }
    }
    if (sheet.width < width || sheet.height < height) {
      [sheet.width, sheet.height] = [Math.max(sheet.width, width), Math.max(sheet.height, height)];
    }
    gl.viewport(0, 0, width, height);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.uniformMatrix4fv(places[0], false, matrix);
    gl.uniform3fv(places[1], light);
    [points, normals, null].forEach((values, k) => {
      fill(gl.ARRAY_BUFFER, mesh.buffers[k], values);
      gl.vertexAttribPointer(k, 3, values ? gl.FLOAT : gl.UNSIGNED_BYTE, !values, 0, 0);
    });
    fill(gl.ELEMENT_ARRAY_BUFFER, mesh.buffers[3]);
    gl.drawElements(gl.TRIANGLES, mesh.t.length, gl.UNSIGNED_SHORT, 0);
    pen.drawImage(sheet, 0, sheet.height - height, width, height, left, 0, width, height);
  };

  // Draws a clip into a part of a canvas: [left, width, height] in pixels. `view` has yaw, pitch and zoom.
  const SPACING = 0.5;
  const draw = (pen, [left, width, height], clip, phase, view) => {
    let points = pose(clip, phase);
    let middle = clip.m;
    const mesh = meshOf(clip);
    const bones = mesh && bonesAt(clip, phase, points);
    if (view.inWorld) {
      const root = rootAt(clip, phase * clip.p);
      const zero = root([0, 0, 0]);
      for (let j = 0; mesh && j < bones.length; j += 3) {
        const column = root([bones[j], bones[j + 1], bones[j + 2]]);
        bones.set(j % 12 === 9 ? column : column.map((x, k) => x - zero[k]), j);
      }
      middle = root(middle);
      for (let j = 0; j < points.length; j += 3) points.set(root([points[j], points[j + 1], points[j + 2]]), j);
    }
    const [sy, cy, sp, cp] = [Math.sin(view.yaw), Math.cos(view.yaw), Math.sin(view.pitch), Math.cos(view.pitch)];
    const size = (0.44 * view.zoom * Math.min(width, height)) / clip.z;
    const far = 8 * clip.z;
    const seen = (x, y, z) => {
      const d = [x - middle[0], y - middle[1], z - middle[2]];
      const flat = sy * d[0] + cy * d[2];
      const depth = cp * flat + sp * d[1];
      const scale = (size * far) / Math.max(far - depth, 0.1 * far);
      return [left + width / 2 + scale * (cy * d[0] - sy * d[2]), height / 2 - scale * (cp * d[1] - sp * flat), depth, scale];
    };
    pen.save();
    pen.beginPath();
    pen.rect(left, 0, width, height);
    pen.clip();
    pen.lineCap = "round";
    if (view.hasGround) {
      const floor = view.inWorld ? middle[1] - clip.m[1] + clip.g : clip.g;
      const near = (x) => Math.round(x / SPACING) * SPACING;
      const [x0, z0] = [near(middle[0]), near(middle[2])];
      pen.strokeStyle = inks.line;
      pen.lineWidth = 1;
      pen.beginPath();
      for (let k = -5; k <= 5; k++) {
        const [d, r] = [k * SPACING, 5 * SPACING];
        for (const [a, b] of [[[x0 + d, z0 - r], [x0 + d, z0 + r]], [[x0 - r, z0 + d], [x0 + r, z0 + d]]]) {
          pen.moveTo(...seen(a[0], floor, a[1]).slice(0, 2));
          pen.lineTo(...seen(b[0], floor, b[1]).slice(0, 2));
        }
      }
      pen.stroke();
    }
    if (mesh) {
      const [across, down] = [(2 * size) / width, (2 * size) / height];
      // Depth and its share, that of `seen`.
      const rows = [[across * cy, 0, -across * sy], [-down * sp * sy, down * cp, -down * sp * cy]];
      const ahead = [cp * sy, sp, cp * cy].map((x) => -x / far);
      rows.push(ahead, ahead);
      // Near its origin, or its corners would tremble once it has gone far.
      for (let j = 9; j < bones.length; j += 12) for (let k = 0; k < 3; k++) bones[j + k] -= middle[k];
      const matrix = [0, 1, 2].flatMap((column) => rows.map((row) => row[column])).concat([0, 0, 0, 1]);
      const light = [0, 1, 2].map((k) => -0.55 * far * ahead[k] - 0.45 * (rows[0][k] / across) + 0.7 * (rows[1][k] / down));
      drawMesh(pen, [left, width, height], mesh, bones, [matrix, light]);
      pen.restore();
      return;
    }
    const limbs = [];
    for (let j = 0; j < clip.l.length; j += 4) {
      const [a, b] = [clip.l[j], clip.l[j + 1]].map((p) => seen(points[3 * p], points[3 * p + 1], points[3 * p + 2]));
      limbs.push([a, b, clip.l[j + 2], clip.l[j + 3] / 1000]);
    }
    limbs.sort((one, other) => one[0][2] + one[1][2] - other[0][2] - other[1][2]);
    for (const [a, b, tint, radius] of limbs) {
      const thick = Math.max(2 * radius * a[3], 1.2);
      pen.beginPath();
      pen.moveTo(a[0], a[1]);
      pen.lineTo(b[0], b[1]);
      for (const [ink, more] of [[inks.bg, 0.25 * thick], [[inks.left, inks.right, inks.mid][tint], 0]]) {
        pen.strokeStyle = ink;
        pen.lineWidth = thick + more;
        pen.stroke();
      }
    }
    pen.restore();
  };
  // Makes the pixels of a canvas those of the screen.
  const fit = (canvas) => {
    const ratio = Math.min(devicePixelRatio || 1, 2);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((px) => Math.max(1, Math.round(px * ratio)));
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    const pen = canvas.getContext("2d");
    pen.clearRect(0, 0, width, height);
    return [pen, width, height];
  };

  // Thumbnails move while they are seen.
  const THUMB = { yaw: 0.7, pitch: 0.15, zoom: 1 };
  const shown = new Set();
  const watcher = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) shown[isIntersecting ? "add" : "delete"](target);
  });
  for (const canvas of $$("canvas.thumb")) watcher.observe(canvas);
  const drawThumbs = (secs) => {
    for (const canvas of shown) {
      const row = canvas.closest("tr");
      if (isCalm && row.isDrawn) continue;
      const [clip] = clipsOf(+row.dataset.i);
      const [pen, width, height] = fit(canvas);
      draw(pen, [0, width, height], clip, isCalm ? 0 : secs / clip.p, THUMB);
      row.isDrawn = true;
    }
  };

  // The player: one for the page, in the loop that is open.
  const box = $("#player").content.firstElementChild.cloneNode(true);
  const part = (name) => $(`[data-part=${name}]`, box);
  const stage = part("stage");
  const HOME = { yaw: 0.7, pitch: 0.15, zoom: 1, hasGround: true };
  const player = { i: -1, plays: !isCalm, phase: 0, speed: 1, isUncut: false, beside: "", view: { ...HOME, inWorld: true } };
  const say = () => {
    part("play").textContent = player.plays ? "Pause" : "Play";
    part("place").setAttribute("aria-pressed", !player.view.inWorld);
    part("uncut").setAttribute("aria-pressed", player.isUncut);
    player.isStale = true;
  };
  const clip = () => clipsOf(player.i)[player.isUncut ? 1 : 0];
  const togglePlay = () => { player.plays = !player.plays; say(); };
  const togglePlace = () => { player.view.inWorld = !player.view.inWorld; say(); };
  const toggleUncut = () => { if (clipsOf(player.i)[1]) player.isUncut = !player.isUncut; say(); };
  part("play").onclick = togglePlay;
  part("place").onclick = togglePlace;
  part("uncut").onclick = toggleUncut;
  part("speed").onchange = (event) => { player.speed = +event.target.value; };
  part("beside").onchange = (event) => { player.beside = event.target.value; say(); };
  part("scrub").oninput = (event) => {
    player.plays = false;
    player.phase = Math.floor(player.phase) + event.target.value / 1000;
    say();
  };
  const orbit = (yaw, pitch) => {
    player.view.yaw += yaw;
    player.view.pitch = Math.max(-0.3, Math.min(1.55, player.view.pitch + pitch));
    player.isStale = true;
  };
  const zoom = (by) => {
    player.view.zoom = Math.max(0.3, Math.min(6, player.view.zoom * by));
    player.isStale = true;
  };
  const step = (by) => {
    player.plays = false;
    player.phase += by / clip().n;
    say();
  };
  const keys = {
    ArrowLeft: () => orbit(0.1, 0), ArrowRight: () => orbit(-0.1, 0), ArrowUp: () => orbit(0, 0.1), ArrowDown: () => orbit(0, -0.1),
    "+": () => zoom(1.15), "-": () => zoom(1 / 1.15), "0": () => { Object.assign(player.view, HOME); player.isStale = true; },
    " ": togglePlay, ",": () => step(-1), ".": () => step(1), p: togglePlace, u: toggleUncut,
  };
  stage.onkeydown = (event) => {
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };
  stage.onpointerdown = (event) => stage.setPointerCapture(event.pointerId);
  stage.onpointermove = (event) => {
    if (stage.hasPointerCapture(event.pointerId)) orbit(-0.01 * event.movementX, 0.01 * event.movementY);
  };
  stage.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && document.activeElement !== stage) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.1 : 1 / 1.1);
  }, { passive: false });
  // What is beside the clip, at the same phase: cycles are counted from where the first foot comes down.
  const besideClip = () => {
    const own = clip();
    if (player.beside === "") return [];
    const other = player.beside === "uncut" ? clipsOf(player.i)[1] : clipsOf(+player.beside)[0];
    if (!other) return [];
    return [[other, (player.phase * own.c + own.f - other.f) / other.c]];
  };
  const drawPlayer = () => {
    const own = clip();
    const [pen, width, height] = fit(stage);
    const all = [[own, player.phase], ...besideClip()];
    all.forEach(([one, phase], k) => draw(pen, [(k * width) / all.length, width / all.length, height], one, phase, player.view));
    const phase = player.phase - Math.floor(player.phase);
    const scrub = part("scrub");
    scrub.value = Math.round(1000 * phase);
    const text = `${(phase * own.p).toFixed(2)} s of ${own.p.toFixed(2)} s`;
    scrub.setAttribute("aria-valuetext", text);
    part("time").textContent = text;
  };
  const mount = (i) => {
    Object.assign(player, { i, isUncut: false, beside: "", phase: 0, isStale: true });
    const [, uncut] = clipsOf(i);
    part("uncut").hidden = !uncut;
    const choices = [["", "nothing"], ...(uncut ? [["uncut", "its take, uncut"]] : [])];
    rows.forEach((row) => {
      if (+row.dataset.i !== i) choices.push([row.dataset.i, $("a", row).textContent]);
    });
    part("beside").replaceChildren(...choices.map(([value, text]) => new Option(text, value)));
    $(".here", sections[i]).append(box);
    say();
  };

  let last = 0;
  let isOdd = false;
  const tick = (now) => {
    const secs = Math.min((now - last) / 1000, 0.1);
    last = now;
    if (player.i >= 0) {
      if (player.plays) player.phase += (secs * player.speed) / clip().p;
      if (player.plays || player.isStale || stage.clientWidth !== player.width) drawPlayer();
      player.isStale = false;
      player.width = stage.clientWidth;
    }
    // Thirty pictures a second are enough for thumbnails.
    if ((isOdd = !isOdd)) drawThumbs(now / 1000);
    requestAnimationFrame(tick);
  };

  // Loops open one at a time, but for printing.
  let prints = false;
  sections.forEach((section, i) => {
    section.ontoggle = () => {
      if (prints) return;
      if (section.open) {
        for (const other of sections) if (other !== section) other.open = false;
        mount(i);
      } else if (player.i === i) {
        player.i = -1;
      }
    };
  });
  const openNamed = () => {
    const section = sections.find((one) => `#${one.id}` === location.hash);
    if (!section) return;
    section.open = true;
    section.scrollIntoView();
    $("summary", section).focus({ preventScroll: true });
  };
  onhashchange = openNamed;
  for (const link of $$("#loops tbody a")) link.onclick = () => setTimeout(openNamed);
  const MOST_PRINTED = 40;
  let opened = [];
  onbeforeprint = () => {
    prints = true;
    const kept = sections.filter((section) => !section.hidden);
    opened = kept.length <= MOST_PRINTED ? kept.filter((section) => !section.open) : [];
    for (const section of opened) section.open = true;
  };
  onafterprint = () => {
    for (const section of opened) section.open = false;
    setTimeout(() => { prints = false; }, 200);
  };

  // Sorting and filtering.
  const heads = $$("#loops thead button");
  const order = { key: -1, down: false };
  const value = (row, key) => (key < 0 ? row.dataset.i : row.cells[key].dataset.v ?? $("a", row).textContent);
  const sort = () => {
    const sorted = [...rows].sort((one, other) => {
      const [a, b] = [value(one, order.key), value(other, order.key)];
      // What is not known comes last, whichever way.
      if ((a === "") !== (b === "")) return a === "" ? 1 : -1;
      const by = order.key === 0 || isNaN(a - b) ? (a < b ? -1 : a > b ? 1 : 0) : a - b;
      return (order.down ? -by : by) || one.dataset.i - other.dataset.i;
    });
    body.append(...sorted);
    heads.forEach((head, key) => {
      const how = key === order.key ? (order.down ? "descending" : "ascending") : "none";
      head.parentElement.setAttribute("aria-sort", how);
    });
    $("#sort").value = order.key;
  };
  heads.forEach((head, key) => {
    head.onclick = () => {
      order.down = order.key === key && !order.down;
      order.key = key;
      sort();
    };
  });
  $("#sort").onchange = (event) => {
    Object.assign(order, { key: +event.target.value, down: false });
    sort();
  };
  const filter = () => {
    const [text, grade, kind] = ["#find", "#grade", "#kind"].map((id) => $(id).value.toLowerCase());
    let kept = 0;
    for (const row of rows) {
      const fits = row.cells[0].textContent.toLowerCase().includes(text)
        && (!grade || row.dataset.grade === grade) && (!kind || row.dataset.kind === kind);
      row.hidden = sections[row.dataset.i].hidden = !fits;
      kept += fits;
    }
    $("#count").textContent = `${kept} of ${rows.length} loops`;
  };
  for (const id of ["#find", "#grade", "#kind"]) $(id).oninput = filter;
  $("#filters").onsubmit = (event) => event.preventDefault();

  showTheme();
  filter();
  if (location.hash) openNamed();
  else if (sections.length === 1) sections[0].open = true;
  requestAnimationFrame(tick);
})();
