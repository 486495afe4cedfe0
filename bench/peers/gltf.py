"""glTF files, read and written anew; shares no code with the command. Needs numpy."""

import base64
import json
import struct
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "docs/formats"))
from set_player import q_turn

WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}
KINDS = {5126: "<f4", 5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2"}


class Gltf:
    def __init__(self, document, buffers):
        self.json, self.buffers = document, buffers

    @classmethod
    def read(cls, path):
        path = Path(path)
        data, binary = path.read_bytes(), b""
        if data[:4] == b"glTF":
            (length,) = struct.unpack_from("<I", data, 12)
            data, binary = data[20 : 20 + length], data[28 + length :]
        document = json.loads(data)
        load = lambda uri: base64.b64decode(uri.split(",", 1)[1]) if uri.startswith("data:") else (path.parent / uri).read_bytes()
        return cls(document, [load(buffer["uri"]) if "uri" in buffer else binary for buffer in document.get("buffers", [])])

    @property
    def names(self):
        return [node.get("name", f"node{index}") for index, node in enumerate(self.json["nodes"])]

    @property
    def parents(self):
        return {child: index for index, node in enumerate(self.json["nodes"]) for child in node.get("children", [])}

    def accessor(self, number):
        found = self.json["accessors"][number]
        view = self.json["bufferViews"][found["bufferView"]]
        kind, width = np.dtype(KINDS[found["componentType"]]), WIDTHS[found["type"]]
        start = view.get("byteOffset", 0) + found.get("byteOffset", 0)
        strides = view.get("byteStride", width * kind.itemsize), kind.itemsize
        rows = np.ndarray((found["count"], width), kind, self.buffers[view["buffer"]], start, strides)
        return rows if kind.kind == "f" else np.maximum(rows / np.iinfo(kind).max, -1)

    def start(self, number):
        """The first key of an animation, in seconds."""
        animation = self.json["animations"][number]
        moved = [animation["samplers"][channel["sampler"]] for channel in animation["channels"] if channel["target"]["path"] != "weights"]
        return min((float(self.accessor(sampler["input"])[0, 0]) for sampler in moved), default=0.0)

    def places(self):
        """Where the nodes rest."""
        parents = self.parents

        def world(index):
            node, above = self.json["nodes"][index], world(parents[index]) if index in parents else np.eye(4)
            if "matrix" in node:
                return above @ np.reshape(node["matrix"], (4, 4)).T
            local = np.eye(4)
            rotation = np.array(node.get("rotation", (0, 0, 0, 1)))
            turned = [q_turn(rotation / np.linalg.norm(rotation), axis) for axis in np.eye(3)]
            local[:3, :3], local[:3, 3] = np.transpose(turned) * node.get("scale", (1, 1, 1)), node.get("translation", (0, 0, 0))
            return above @ local

        return [world(index)[:3, 3] for index in range(len(self.json["nodes"]))]

    def add(self, rows, kind, **more):
        """Adds rows of floats to the first buffer: the number of their accessor."""
        data = np.asarray(rows, "<f4").tobytes()
        views, accessors = self.json["bufferViews"], self.json["accessors"]
        views.append({"buffer": 0, "byteOffset": len(self.buffers[0]), "byteLength": len(data)})
        accessors.append({"bufferView": len(views) - 1, "componentType": 5126, "count": len(rows), "type": kind, **more})
        self.buffers[0] += data
        return len(accessors) - 1

    def write(self, path):
        """As one binary file, of the first buffer."""
        binary = self.buffers[0] + b"\0" * (-len(self.buffers[0]) % 4)
        self.json["buffers"] = [{"byteLength": len(binary)}]
        text = json.dumps(self.json, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        head = struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(binary))
        Path(path).write_bytes(head + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0") + binary)
