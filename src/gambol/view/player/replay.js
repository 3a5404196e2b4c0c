// Plays a motion that lies in the page.
import { Quaternion, Vector3 } from "three";
import { ICONS } from "./panel.js";
import { PRESETS } from "./rig.js";
import { Stage } from "./stage.js";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2];

export class Replay {
  constructor(about, data, root) {
    Object.assign(this, { about, data, root });
    this.time = 0;
    this.playing = about.frames > 1;
    this.speed = about.speed ?? 1;
    this.stage = new Stage(about, data, root);
    this.places = new Float32Array(3 * about.bodies);
    this.turns = new Float32Array(4 * about.bodies);
    this.controls();
    window.addEventListener("resize", () => this.resize());
    this.resize();
    this.show(0);
    this.stage.rig.go("three-quarter");
    this.stage.rig.remember();
    let last = performance.now();
    const loop = (now) => {
      this.advance(Math.min(0.25, Math.max(0, now - last) / 1000)); // a first frame may be older than the page
      last = now;
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
  }

  resize() {
    this.stage.below = this.bar.offsetHeight;
    this.stage.resize();
  }

  // Between two frames.
  show(time) {
    const { rate, frames, bodies } = this.about;
    const position = Math.min(time * rate, frames - 1), frame = Math.floor(position), share = position - frame;
    const p = this.data.places, r = this.data.turns, next = Math.min(frame + 1, frames - 1);
    const turn = new Quaternion(), other = new Quaternion();
    for (let b = 0; b < bodies; b++) {
      const i = frame * bodies + b, j = next * bodies + b;
      for (let k = 0; k < 3; k++) this.places[3 * b + k] = p[3 * i + k] + share * (p[3 * j + k] - p[3 * i + k]);
      turn.set(r[4 * i + 1], r[4 * i + 2], r[4 * i + 3], r[4 * i]).normalize();
      turn.slerp(other.set(r[4 * j + 1], r[4 * j + 2], r[4 * j + 3], r[4 * j]).normalize(), share);
      this.turns.set([turn.w, turn.x, turn.y, turn.z], 4 * b);
    }
    this.stage.pose(this.places, this.turns);
    const m = this.data.middles;
    this.stage.middle.fromArray(m, 3 * frame).lerp(new Vector3().fromArray(m, 3 * next), share);
  }

  get duration() { return (this.about.frames - 1) / this.about.rate; }
  get middle() { return this.stage.middle; }
  get camera() { return this.stage.camera; }

  advance(elapsed) {
    this.stage.playing = this.playing;
    if (this.playing) {
      this.time += this.speed * elapsed;
      if (this.time > this.duration) this.time = this.duration > 0 ? this.time % this.duration : 0;
      this.show(this.time);
    }
    if (!this.stage.draw(elapsed)) return;
    this.slider.value = this.time;
    this.clock.textContent = `${(this.about.start + this.time).toFixed(2)} s`;
    this.button.innerHTML = this.playing ? ICONS.pause : ICONS.play;
    this.button.title = this.playing ? "Pause" : "Play";
    this.scale.textContent = this.about.level === null && !this.about.earth ? "" : `squares of ${this.stage.squares}`;
  }

  seek(time) {
    this.playing = false;
    this.time = Math.min(Math.max(time, 0), this.duration);
    this.show(this.time);
  }

  controls() {
    const bar = (this.bar = document.createElement("div"));
    bar.className = "bar";
    const make = (tag, settings) => bar.appendChild(Object.assign(document.createElement(tag), settings));
    this.button = make("button", { onclick: () => { this.playing = !this.playing; this.stage.stale = true; } });
    this.clock = make("span", {});
    this.slider = make("input", { type: "range", min: 0, max: this.duration || 1, step: "any", oninput: () => this.seek(+this.slider.value) });
    this.slider.setAttribute("aria-label", "time");
    const speed = make("select", { title: "speed", onchange: () => { this.speed = +speed.value; } });
    for (const s of [...new Set([...SPEEDS, this.speed])].sort((a, b) => a - b)) speed.add(new Option(`${s}×`, s, s === this.speed, s === this.speed));
    const view = make("select", { title: "camera", onchange: () => this.stage.rig.go(view.value) });
    for (const name of [...Object.keys(PRESETS), "chase"]) view.add(new Option(name, name));
    const label = make("label", { textContent: "follow" });
    const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: true, onchange: () => { this.stage.rig.follow = box.checked; } });
    label.prepend(box);
    this.scale = make("small", {});
    this.root.appendChild(bar);
    document.addEventListener("keydown", (event) => {
      if (event.key === " ") { this.playing = !this.playing; this.stage.stale = true; event.preventDefault(); }
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) this.seek(this.time + step / this.about.rate);
    });
  }
}
