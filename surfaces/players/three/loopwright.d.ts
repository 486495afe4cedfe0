import { EventDispatcher, Object3D, Quaternion, Vector3 } from "three";
import { GLTF, GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

/** A set: its manifest and the motions of its clips. Any number of characters share it. */
export class LoopwrightSet {
  /** Loads `set.json` and the files that it names, which lie beside it. */
  static load(url: string, options?: { loader?: GLTFLoader }): Promise<LoopwrightSet>;
  /** A set of a manifest and its files, by the names under which the manifest has them. */
  constructor(manifest: object, files: Map<string, GLTF>);
  /** What `set.json` holds: docs/formats/set.md. */
  readonly manifest: any;
  /** The names of the joints that the clips move. */
  readonly joints: string[];
  /** The body of the first file. */
  readonly scene: Object3D;
}

export interface Goal {
  /** Over the ground, metres per second. */
  speed: number;
  /** Radians per second, to the left positive. */
  turnRate: number;
  /** Where it goes against where it faces, radians, to the left positive. */
  direction: number;
  /** Metres per second. */
  climb: number;
  /** Once, by a passage that turns, radians. */
  turn: number;
}

export interface FootEvent {
  foot: "left" | "right" | string;
  clip: string;
  /** When, in seconds played, and how long ago. */
  secs: number;
  late: number;
}

export interface SwitchEvent {
  from: string;
  to: string;
  secs: number;
  fade_secs: number;
}

export type Playing =
  | { clip: string; secs: number }
  | { space: string; at: number[]; phase: number; clips: { clip: string; weight: number }[] };

/** A character that plays a set. */
export class LoopwrightCharacter extends EventDispatcher<{ strike: FootEvent; lift: FootEvent; switch: SwitchEvent }> {
  /** `model`: a body with joints of the set's names; without one a copy of the set's own. `clip`: the loop to begin with. `seed`: of the order in which versions of
   * loops follow each other. */
  constructor(set: LoopwrightSet, options?: { model?: Object3D; clip?: string; seed?: number });
  readonly set: LoopwrightSet;
  /** Moves with the root. A game may move it, too: only the steps of the root are added. */
  readonly object: Object3D;
  readonly model: Object3D;
  /** The root since the beginning, without what the game added. */
  readonly root: { position: Vector3; rotation: Quaternion };
  readonly playing: Playing;
  /** What plays over that. */
  readonly over: { clip: string; secs: number } | null;
  /** The goal as far as the loops can meet it: turns that they lack are dropped first, then directions. */
  readonly met: Goal;
  /** Whether the left and the right foot step to places of their own, because they could not be held. */
  readonly stepping: [boolean, boolean];
  /** Seconds played. */
  readonly secs: number;
  /** The longest time that a switch between moving loops waits for the moment at which it shows least, seconds. */
  patience: number;
  /** Whether versions of loops follow each other. */
  varies: boolean;
  /** Whether feet are held where they stand. */
  holdsFeet: boolean;
  /** What the character shall do; what is left out stays. */
  setGoal(goal: Partial<Goal>): void;
  /** Plays a clip once by its name, such as a jump, or goes into a loop, at once. */
  play(name: string): void;
  /** Plays the upper body of an action, or of another clip that happens once, over what plays, at once. */
  playOver(name: string): void;
  /** Goes on by some seconds. */
  update(delta: number): void;
}
