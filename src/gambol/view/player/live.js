// The live view: what the server computes, shown as it comes; what people do, sent back.
import { Vector3 } from "three";
import { Charts } from "./charts.js";
import { Curves } from "./curves.js";
import { Overlays } from "./overlays.js";
import { Panel } from "./panel.js";
import { Pattern } from "./pattern.js";
import { Prompt } from "./prompt.js";
import { PRESETS, RIDES } from "./rig.js";
import { Stage } from "./stage.js";
import { Steering } from "./steering.js";
import { Touch } from "./touch.js";

const BESIDE = 70; // [ms] between pictures of the windows beside
const AGAIN = [0.2, 0.5, 1, 2]; // [s] until it tries to connect again

export class Live {
  constructor(about, data, root) {
    Object.assign(this, { about, root });
    this.stage = new Stage(about, data, root);
    this.state = { parameters: [], events: [] };
    this.frame = { t: about.start, first: about.start, last: about.start, playing: false };
    this.pictures = 0;
    this.overlays = new Overlays(this);
    this.panel = new Panel(this);
    this.touch = new Touch(this);
    this.take(data.places, data.turns, this.stage.ghost ? { ghost_places: data.ghost_places, ghost_turns: data.ghost_turns } : {});
    window.addEventListener("resize", () => this.resize());
    this.resize();
    this.stage.rig.go("three-quarter");
    document.addEventListener("keydown", (event) => this.key(event));
    if (about.legs.length) this.pattern = new Pattern(root, about.legs);
    if (about.charts) this.charts = new Charts(root);
    if (about.prompt) this.prompt = new Prompt(this, about.prompt);
    this.resize();
    this.stage.rig.remember();
    if (about.steerable) this.steering = new Steering(this);
    this.connect(0);
    let last = performance.now();
    const loop = (now) => {
      this.apply();
      if (this.stage.draw(Math.min(0.25, Math.max(0, now - last) / 1000))) this.pictures += 1;
      this.panel.tick(now);
      this.beside(now);
      last = now;
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
  }

  resize() {
    this.panel.fit();
    this.stage.resize();
  }

  // ------------------------------------------------------------ the line to the server
  connect(tries) {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.line = new WebSocket(`${scheme}://${location.host}${location.pathname}`);
    this.line.binaryType = "arraybuffer";
    this.line.onopen = () => { tries = 0; this.asked = 0; this.connected = true; this.wants(); this.panel.connection(true); };
    this.line.onmessage = ({ data }) => (typeof data === "string" ? this.told(JSON.parse(data)) : this.shown(data));
    this.line.onclose = () => {
      this.connected = false;
      this.panel.connection(false);
      setTimeout(() => this.connect(tries + 1), 1000 * AGAIN[Math.min(tries, AGAIN.length - 1)]);
    };
  }

  send(what) {
    if (this.line.readyState === WebSocket.OPEN) this.line.send(JSON.stringify(what));
  }

  act(what, more = {}) { this.send({ do: what, ...more }); }

  // What was set here stands until the server has done it: what it says of the time before is old.
  set(more) {
    if (this.line.readyState === WebSocket.OPEN) this.act("set", { ...more, number: ++this.asked });
  }

  // What this window looks at; others may look at other things.
  wants() { this.act("look", { overlays: this.overlays.wanted(), plots: this.panel.plotted, edition: this.about.edition, heard: this.heard ?? this.about.prompt?.heard ?? 0 }); }

  told(message) {
    if (message.reload) { this.prompt?.keep(); this.stage.leave(); return; }
    if (message.state) {
      const old = message.state.done < this.asked ? { parameters: this.state.parameters } : {};
      Object.assign(this.state, message.state, old);
      this.panel.update(this.state, !old.parameters);
      this.bend(this.state.parameters.filter((p) => p.group), !old.parameters);
    }
    if (message.said) { this.heard = (this.heard ?? this.about.prompt.heard) + message.said.length; this.prompt?.say(message.said); }
    if (message.plots) this.panel.plot(message.plots);
  }

  // Torque functions that can be bent.
  bend(parameters, fresh) {
    if (!parameters.length) return;
    if (!this.curves) { this.curves = new Curves(this, parameters); this.resize(); }
    if (fresh) this.curves.update(parameters);
  }

  // A picture: the length of its head, the head, then numbers by name.
  shown(buffer) {
    const long = new DataView(buffer).getUint32(0, true);
    const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, long)));
    let at = 4 + long;
    const found = {};
    for (const [name, kind, count] of head.layout) {
      const Kind = kind === "u4" ? Uint32Array : Float32Array;
      found[name] = new Kind(buffer.slice(at, at + 4 * count));
      at += 4 * count;
    }
    if (found.earth_vertices) {
      this.about.earth = true;
      this.stage.earth(found.earth_vertices, found.earth_normals, found.earth_faces);
    }
    if (found.places) this.waiting = { head, found }; // of several that came meanwhile the newest is shown
  }

  apply() {
    if (!this.waiting) return;
    const { head, found } = this.waiting;
    this.waiting = null;
    this.frame = head;
    this.stage.playing = head.playing;
    this.take(found.places, found.turns, found);
    this.panel.moment(this.frame);
    this.steering?.show(found.goal, found.way);
    this.angles = found.angles;
    this.news = true;
  }

  // Windows beside the picture, a few times a second.
  beside(now) {
    if (!this.news || now - (this.told_at ?? 0) < BESIDE) return;
    this.told_at = now;
    this.news = false;
    this.pattern?.draw(this.frame);
    this.charts?.draw(this.frame);
    if (this.angles) this.curves?.show(this.angles);
  }

  take(places, turns, more = {}) {
    this.stage.pose(places, turns);
    if (this.stage.ghost && more.ghost_places) this.stage.ghost.pose(more.ghost_places, more.ghost_turns);
    const middle = more.middle ?? this.about.middle;
    this.stage.middle.copy(new Vector3(...middle));
    this.overlays.show(more, this.frame);
  }

  // ------------------------------------------------------------ keys
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName) && event.target.type !== "range" && event.target.type !== "checkbox") return;
    if (this.steering?.key(event, true)) { event.preventDefault(); return; }
    const frame = this.frame, step = event.shiftKey ? 0.25 : 1 / 60;
    const keys = {
      " ": () => this.act(frame.playing ? "pause" : "play"),
      ArrowRight: () => this.act("step", { by: step }),
      ArrowLeft: () => this.act("step", { by: -step }),
      ".": () => this.act("step", { by: step }), ",": () => this.act("step", { by: -step }),
      Home: () => this.act("seek", { time: frame.first }),
      End: () => this.act("seek", { time: frame.last }),
      "+": () => this.panel.faster(1), "=": () => this.panel.faster(1), "-": () => this.panel.faster(-1),
      f: () => this.panel.flip("follow"), g: () => this.touch.choose("pull"), p: () => this.touch.choose("push"), n: () => this.touch.choose("pin"), j: () => this.touch.choose("joint"), d: () => this.steering && this.touch.choose("draw"),
      u: () => this.act("undo"), o: () => this.panel.picture(), r: () => this.panel.record(), h: () => this.panel.help(), "?": () => this.panel.help(),
      Escape: () => this.touch.letGo(),
    };
    [...Object.keys(PRESETS), ...RIDES].forEach((name, k) => { keys[String(k + 1)] = () => this.panel.camera(name); });
    const chosen = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!chosen) return;
    chosen();
    event.preventDefault();
  }
}
