"""How well skeletons are matched whose names were taken away: nameless.py LOOPWRIGHT SCRATCH REFERENCE FILE..."""
import json, pathlib, re, struct, subprocess, sys, tomllib
program, scratch, reference, motion, *files = sys.argv[1:]
scratch = pathlib.Path(scratch); scratch.mkdir(parents=True, exist_ok=True)

def run(*args):
    return subprocess.run([program, "-q", *map(str, args)], capture_output=True, text=True)

def glb(path):
    data = path.read_bytes(); n = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20:20+n]), data[20+n:]

def nameless(path):
    """A copy with names that say nothing, and the names by the new ones."""
    names = {}
    def new(old):
        name = f"bone_{len(names)}"; names[name] = old; return name
    if path.suffix == ".bvh":
        text = path.read_text(errors="replace")
        head, motion = re.split(r"(?m)^\s*MOTION", text, maxsplit=1)
        head = re.sub(r"(?m)^(\s*(?:ROOT|JOINT)[ \t]+)(\S.*?)[ \t]*$", lambda m: m[1] + new(m[2]), head)
        out = scratch / f"{path.stem}-nl.bvh"; out.write_text(head + "MOTION" + motion)
        return path, out, names
    if path.suffix != ".glb":
        other = scratch / (path.stem + ".glb")
        done = run("convert", path, other, "-f")
        if done.returncode: raise SystemError(done.stderr[:200])
        path = other
    doc, rest = glb(path)
    for i, node in enumerate(doc.get("nodes", [])):
        node["name"] = new(node.get("name") or f"node{i}")
    body = json.dumps(doc).encode(); body += b" " * (-len(body) % 4)
    out = scratch / f"{path.stem}-nl.glb"
    out.write_bytes(struct.pack("<III", 0x46546C67, 2, 20+len(body)+len(rest)) + struct.pack("<II", len(body), 0x4E4F534A) + body + rest)
    return path, out, names

def links(source, rig):
    out, toml = scratch / "out.bvh", scratch / "map.toml"
    toml.unlink(missing_ok=True)
    done = run("retarget", source, "--rig", rig, "-o", out, "-f", "--save-map", toml)
    if not toml.exists(): return None, done.stderr[:150].replace("\n", " ")
    return tomllib.loads(toml.read_text()), ""

def flat(table, to, of):
    rows = {}
    def add(k, v):
        v = v if isinstance(v, str) else json.dumps(v)
        rows[to.get(k, k)] = re.sub(r"bone_\d+", lambda m: of.get(m[0], m[0]), v)
    for k, v in (table.get("joints") or table.get("map") or table).items():
        if isinstance(v, dict):
            for kk, vv in v.items(): add(kk, vv)
        else: add(k, v)
    return rows

same = [0, 0]; tried = 0
for file in files:
    try: path, bare, names = nameless(pathlib.Path(file))
    except Exception as e: print("skip", file, e); continue
    row = []
    for way in (0, 1):
        pair = (lambda p: (p, reference)) if way == 0 else (lambda p: (motion, p))
        named, why = links(*pair(path)); without, why2 = links(*pair(bare))
        if named is None: row.append("named fails: " + why); continue
        if without is None: row.append("FAILS: " + why2); continue
        to, of = ((({}, names)), (names, {}))[way]
        a, b = flat(named, {}, {}), flat(without, to, of)
        wrong = {k: (a.get(k), b.get(k)) for k in a.keys() | b.keys() if a.get(k) != b.get(k)}
        if not wrong: same[way] += 1; row.append("same")
        else: row.append(f"{len(wrong)} of {len(a)} " + "; ".join(f"{k}: {x}->{y}" for k, (x, y) in sorted(wrong.items())[:6]))
    tried += 1
    print(pathlib.Path(file).name, "| from:", row[0], "| onto:", row[1], flush=True)
print(tried, "tried, same from", same[0], "onto", same[1])
