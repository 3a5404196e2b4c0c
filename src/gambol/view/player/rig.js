// The camera: follows the figure calmly, turns about it, and never goes under the ground.
import { Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

const CALM = 6.0; // [1/s] at which it catches up
export const PRESETS = {
  "three-quarter": [-60, 14], front: [0, 6], side: [-90, 4], back: [180, 8], top: [-90, 89],
};
export const RIDES = ["chase", "first person"];

export class Rig {
  constructor(stage) {
    this.stage = stage;
    this.follow = true;
    this.ride = "";
    this.orbit = new OrbitControls(stage.camera, stage.renderer.domElement);
    this.orbit.zoomSpeed = 1.4;
    this.orbit.minDistance = 0.15 * stage.about.size;
    this.orbit.maxDistance = 40 * stage.about.size;
    this.orbit.addEventListener("start", () => { this.goal = null; this.ride = ""; this.moved = true; });
    this.orbit.addEventListener("change", () => { stage.stale = true; });
    this.followed = new Vector3();
    this.started = false;
  }

  get target() { return this.orbit.target; }

  // Where the camera looks: the middle of the figures is as far above that of their masses as it was at first.
  aim(middle) {
    return new Vector3(middle.x, middle.y, middle.z + this.stage.about.lift);
  }

  place(azimuth, elevation, distance = 1.9) {
    const a = (azimuth * Math.PI) / 180, e = (elevation * Math.PI) / 180;
    const way = new Vector3(Math.cos(a) * Math.cos(e), Math.sin(a) * Math.cos(e), Math.sin(e));
    return this.aim(this.stage.middle).add(way.multiplyScalar(distance * this.stage.about.size));
  }

  // Goes to a preset, smoothly; the first time at once.
  go(name) {
    this.name = name;
    if (RIDES.includes(name)) { this.ride = name; this.goal = null; return; }
    this.ride = "";
    const [azimuth, elevation] = PRESETS[name];
    const goal = { from: this.stage.camera.position.clone(), look: this.target.clone(), way: [azimuth, elevation], share: 0 };
    if (this.started) { this.goal = goal; return; }
    this.started = true;
    this.target.copy(this.aim(this.stage.middle));
    this.stage.camera.position.copy(this.place(azimuth, elevation));
    this.followed.copy(this.stage.middle);
    this.orbit.update();
  }

  // Where it is, for a page that is loaded anew; only one that somebody moved is worth it.
  saved() { return { moved: Boolean(this.moved), camera: this.stage.camera.position.toArray(), target: this.target.toArray() }; }

  // As it was before the page was loaded anew.
  remember() {
    const kept = sessionStorage.getItem("gambol camera");
    sessionStorage.removeItem("gambol camera");
    const { moved, camera, target } = kept ? JSON.parse(kept) : {};
    if (!moved) return;
    this.moved = true;
    this.stage.camera.position.fromArray(camera);
    this.target.fromArray(target);
    this.orbit.update();
  }

  // The way the root looks, on the ground.
  heading() {
    const way = new Vector3(1, 0, 0).transformDirection(this.stage.poses[0]);
    way.z = 0;
    return way.lengthSq() > 1e-6 ? way.normalize() : new Vector3(1, 0, 0);
  }

  move(elapsed) {
    if (!this.started) return false;
    const { camera, middle } = this.stage;
    const before = camera.position.clone(), looked = this.target.clone();
    const share = 1 - Math.exp(-CALM * elapsed);
    if (this.ride) this.riding(share);
    else if (this.goal) this.going(elapsed);
    else if (this.follow) {
      const step = middle.clone().sub(this.followed);
      step.z *= 0.35;
      step.multiplyScalar(step.length() > 4 * this.stage.about.size ? 1 : share);
      this.followed.add(step);
      camera.position.add(step);
      this.target.add(step);
    } else this.followed.copy(middle);
    this.above();
    this.orbit.enabled = !this.held;
    this.orbit.update();
    return before.distanceToSquared(camera.position) + looked.distanceToSquared(this.target) > 1e-9 * this.stage.about.size ** 2; // less than a tenth of a pixel is none
  }

  going(elapsed) {
    const goal = this.goal, { camera } = this.stage;
    goal.share = Math.min(1, goal.share + elapsed / 0.5);
    const s = goal.share * goal.share * (3 - 2 * goal.share);
    this.target.lerpVectors(goal.look, this.aim(this.stage.middle), s);
    camera.position.lerpVectors(goal.from, this.place(...goal.way), s);
    this.followed.copy(this.stage.middle);
    if (goal.share === 1) this.goal = null;
  }

  riding(share) {
    const { camera, middle, about } = this.stage, way = this.heading();
    const first = this.ride === "first person";
    const eye = first
      ? new Vector3().setFromMatrixPosition(this.stage.poses[about.eyes ?? 0]).addScaledVector(way, 0.12 * about.size).add(new Vector3(0, 0, 0.06 * about.size))
      : middle.clone().addScaledVector(way, -2.2 * about.size).add(new Vector3(0, 0, 0.7 * about.size));
    const look = first ? eye.clone().addScaledVector(way, 2 * about.size).add(new Vector3(0, 0, -0.3 * about.size)) : middle.clone().addScaledVector(way, 0.5 * about.size);
    camera.position.lerp(eye, share);
    this.target.lerp(look, share);
    this.followed.copy(middle);
  }

  // Never under the ground.
  above() {
    const { about, camera, ground } = this.stage, over = (place) => ground.top(place) + 0.03 * about.size;
    const least = over(camera.position);
    this.target.z = Math.max(this.target.z, over(this.target));
    camera.position.z = Math.max(camera.position.z, least);
    const reach = camera.position.distanceTo(this.target);
    this.orbit.maxPolarAngle = Math.acos(Math.max(-1, Math.min(1, (least - this.target.z) / Math.max(reach, 1e-9))));
  }
}
