// Directs a figure: arrow keys while they are held, a click on the ground as the place to go to.
import { CylinderGeometry, Mesh, MeshBasicMaterial, Plane, RingGeometry, Vector3 } from "three";
import { standing, Sticks } from "./overlays.js";

const AGAIN = 150; // [ms] between messages while a key is held: what turns has to be led on
const KEYS = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowLeft: [0, 1], ArrowRight: [0, -1] };

export class Steering {
  constructor(live) {
    this.live = live;
    this.down = new Set();
    const { stage } = live, unit = 0.02 * stage.about.size;
    this.goal = new Mesh(new RingGeometry(2 * unit, 3 * unit, 40), new MeshBasicMaterial({ color: 0xd55e00, transparent: true, opacity: 0.85, depthWrite: false }));
    this.goal.visible = false;
    stage.scene.add(this.goal);
    this.unit = unit;
    this.line = new Sticks(stage.scene, standing(new CylinderGeometry(1, 1, 1, 6)), 0xd55e00);
    document.addEventListener("keyup", (event) => this.key(event, false));
    window.addEventListener("blur", () => { if (this.down.size) { this.down.clear(); clearInterval(this.timer); this.tell(); } });
  }

  // An arrow key without modifiers is ours.
  key(event, pressed) {
    if (!KEYS[event.key] || pressed && (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey)) return false;
    if (pressed === this.down.has(event.key)) return pressed;
    const first = this.down.size === 0;
    this.down[pressed ? "add" : "delete"](event.key);
    this.tell(first);
    clearInterval(this.timer);
    if (this.down.size) this.timer = setInterval(() => this.tell(false), AGAIN);
    return true;
  }

  tell(first = false) {
    const ways = [...this.down].map((name) => KEYS[name]);
    const sum = (k) => Math.max(-1, Math.min(1, ways.reduce((all, way) => all + way[k], 0)));
    this.live.act("steer", { ahead: sum(0), turn: sum(1), first });
  }

  // The spot on the ground under the pointer; null for the sky.
  spot(ray) {
    const { ground, about } = this.live.stage;
    if (ground.land) return ray.intersectObject(ground.land, false)[0]?.point ?? null;
    return about.level === null ? null : ray.ray.intersectPlane(new Plane(new Vector3(0, 0, 1), -about.level), new Vector3());
  }

  click(ray) {
    const at = this.spot(ray);
    if (at) this.live.act("goto", { x: at.x, y: at.y });
  }

  // A way is drawn on the ground: begun, led on, and sent when it is let go.
  begin(ray) { const at = this.spot(ray); this.drawn = at ? [at] : []; }

  lead(ray) {
    const at = this.spot(ray), last = this.drawn.at(-1);
    if (at && (!last || last.distanceTo(at) > 4 * this.unit)) { this.drawn.push(at); this.trace(this.drawn); }
  }

  end() {
    const points = this.drawn.map(({ x, y }) => [x, y]);
    this.drawn = null;
    if (points.length > 1) this.live.act("path", { points });
    else this.trace([]);
  }

  trace(points) {
    this.line.show(points.slice(1).map((p, i) => [points[i], p]), 0.35 * this.unit);
    this.live.stage.stale = true;
  }

  show(goal, way) {
    if (!this.drawn) this.trace(Array.from({ length: (way?.length ?? 0) / 3 }, (_, i) => new Vector3().fromArray(way, 3 * i)));
    this.goal.visible = Boolean(goal?.length);
    if (this.goal.visible) this.goal.position.fromArray(goal);
  }
}
