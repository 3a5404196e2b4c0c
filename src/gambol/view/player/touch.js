// The pointer: what lies under it lights up; drag to pull, click to push or to pin. A modifier key moves the camera.
import { Plane, Raycaster, Vector2, Vector3 } from "three";

const CLICK = 5; // [pixels] that a click may stray

export class Touch {
  constructor(live) {
    this.live = live;
    this.tool = "pull";
    this.ray = new Raycaster();
    const { root } = live, canvas = live.stage.renderer.domElement;
    canvas.addEventListener("pointermove", (e) => this.moved(e));
    canvas.addEventListener("pointerleave", () => this.hover(null));
    root.addEventListener("pointerdown", (e) => { if (e.target === canvas) this.down(e); }, true);
    window.addEventListener("pointerup", (e) => this.up(e));
    canvas.style.touchAction = "none";
  }

  choose(tool) {
    this.tool = tool;
    this.live.panel.tool(tool);
  }

  aimed(event) {
    const box = this.live.stage.renderer.domElement.getBoundingClientRect();
    const at = new Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
    this.ray.setFromCamera(at, this.live.stage.camera);
    return this.ray;
  }

  // The body that is seen under the pointer, with the point in the world; null for none.
  under(event) {
    const meshes = this.live.stage.batches.map((batch) => batch.mesh);
    const [hit] = this.aimed(event).intersectObjects(meshes, false);
    if (!hit) return null;
    const batch = this.live.stage.batches.find(({ mesh }) => mesh === hit.object);
    const body = batch.bodies[hit.instanceId];
    return body < 0 ? null : { body, point: hit.point };
  }

  modified(event) { return event.altKey || event.shiftKey || event.ctrlKey || event.metaKey || event.button !== 0; }

  get allowed() { return this.live.state.touchable && this.live.state.driver; }

  hover(found) {
    this.live.stage.highlight(found && this.allowed ? found.body : -1);
    this.live.panel.hint(found ? this.live.about.names[found.body] : "");
    this.live.stage.renderer.domElement.style.cursor = found && this.allowed ? (this.tool === "pull" ? "grab" : "crosshair") : "";
  }

  moved(event) {
    if (this.live.steering?.drawn) this.live.steering.lead(this.aimed(event));
    else if (this.bending) this.bend(event);
    else if (this.held) {
      const to = this.aimed(event).ray.intersectPlane(this.plane, new Vector3());
      if (to) this.live.act("pull", { to: to.toArray() });
    } else if (!event.buttons) this.hover(this.modified({ ...flags(event), button: 0 }) ? null : this.under(event));
  }

  down(event) {
    if (this.modified(event) || !this.allowed) return;
    if (this.tool === "draw") { this.live.stage.rig.held = true; this.live.stage.rig.orbit.enabled = false; this.live.steering.begin(this.aimed(event)); return; }
    const found = this.under(event);
    if (!found) { this.ground = { x: event.clientX, y: event.clientY }; return; }
    this.live.stage.rig.held = true;
    this.live.stage.rig.orbit.enabled = false;
    this.pressed = { ...found, x: event.clientX, y: event.clientY, way: this.aimed(event).ray.direction.clone() };
    const at = found.point.clone().applyMatrix4(this.live.stage.poses[found.body].clone().invert()).toArray();
    this.pressed.at = at;
    this.hover(found);
    if (this.tool === "joint") { this.bending = { body: found.body, x: event.clientX, first: true }; return; }
    if (this.tool !== "pull") return;
    const facing = this.live.stage.camera.getWorldDirection(new Vector3());
    this.plane = new Plane().setFromNormalAndCoplanarPoint(facing, found.point);
    this.held = true;
    this.live.act("grab", { body: found.body, at });
  }

  up(event) {
    if (this.live.steering?.drawn) { this.live.steering.end(); this.live.stage.rig.held = false; return; }
    const { ground } = this;
    this.ground = null;
    if (ground && this.live.steering && Math.hypot(event.clientX - ground.x, event.clientY - ground.y) <= CLICK) this.live.steering.click(this.aimed(event));
    if (!this.pressed) return;
    const { body, at, x, y, way } = this.pressed;
    const click = Math.hypot(event.clientX - x, event.clientY - y) <= CLICK;
    if (click && this.tool === "push") this.live.act("push", { body, at, way: way.toArray(), ...this.live.panel.push() });
    if (click && this.tool === "pin") this.live.act("pin", { body, at });
    this.letGo();
  }

  // A joint turns by a hundredth of a radian (or of the figure's size) a pixel.
  bend(event) {
    const { body, x, first } = this.bending, by = 0.01 * (event.clientX - x);
    if (!by) return;
    this.live.act("bend", { body, by, first });
    this.bending = { body, x: event.clientX, first: false };
  }

  letGo() {
    this.bending = null;
    if (this.held) this.live.act("release");
    this.held = false;
    this.pressed = null;
    this.live.stage.rig.held = false;
  }
}

function flags({ altKey, shiftKey, ctrlKey, metaKey }) { return { altKey, shiftKey, ctrlKey, metaKey }; }
