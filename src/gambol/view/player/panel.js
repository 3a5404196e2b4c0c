// Everything around the picture: timeline, tools, parameters, what is shown, plots, help.
import { PlotWindow } from "./plot.js";
import { CHOICES } from "./quality.js";
import { PRESETS, RIDES } from "./rig.js";

const icon = (path) => `<svg viewBox="0 0 14 14" aria-hidden="true"><path d="${path}"/></svg>`;
export const ICONS = {
  play: icon("M2 0l12 7L2 14z"), pause: icon("M1 0h4v14H1zM9 0h4v14H9z"), back: icon("M1 0h3v14H1zM14 0v14L5 7z"), on: icon("M10 0h3v14h-3zM0 0l9 7-9 7z"), menu: icon("M0 1h14v2H0zM0 6h14v2H0zM0 11h14v2H0z"),
};
const HELP = [
  ["drag a body", "pull it (or push, pin: choose the tool)"], ["drag elsewhere, wheel", "turn and zoom the camera"],
  ["Alt or right button + drag", "always the camera; Shift moves it"], ["space", "play, pause"], ["← → or , .", "a step; with Shift a quarter of a second"],
  ["Home, End", "first and last moment"], ["+ −", "faster, slower"], ["1 … 7", "cameras"], ["F", "follow"], ["G P N J", "pull, push, pin, turn a joint"],
  ["U", "undo"], ["O", "save a picture"], ["R", "record a film"], ["H", "this help"],
];

const STEERED = [["↑ ↓ ← →", "ahead, back, left, right"], ["click on the ground", "go there"], ["D, then drag on the ground", "draw the way to go"], ...HELP.map(([key, what]) => [key.replace("← → or ", ""), what])];

function make(tag, settings = {}, ...inside) {
  const { aria, ...own } = settings;
  const made = Object.assign(document.createElement(tag), own);
  if (aria) made.setAttribute("aria-label", aria);
  made.append(...inside);
  return made;
}

function saved(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export class Panel {
  constructor(live) {
    this.live = live;
    this.plotted = [];
    this.inputs = new Map();
    this.bar();
    this.head();
    this.side();
    this.seenAt = 0;
    this.counted = 0;
  }

  // ------------------------------------------------------------ above the picture
  head() {
    this.status = make("div", { className: "status" });
    this.name = make("div", { className: "hint" });
    const top = make("div", { className: "head" }, make("h1", { textContent: this.live.about.title }), this.status, this.name);
    this.fault = make("div", { className: "fault", hidden: true });
    this.lost = make("div", { className: "lost", hidden: true, textContent: "The connection is lost. Trying again …" });
    this.watching = make("div", { className: "watching", hidden: true }, "Somebody else drives. ",
      make("button", { textContent: "Take the controls", onclick: () => this.live.act("drive") }));
    this.live.root.append(top, this.fault, this.lost, this.watching);
  }

  connection(there) { this.lost.hidden = there; }

  hint(words) { this.name.textContent = words; }

  // ------------------------------------------------------------ the timeline
  bar() {
    const { live } = this;
    this.play = make("button", { className: "play", title: "Play", innerHTML: ICONS.play, onclick: () => live.act(live.frame.playing ? "pause" : "play") });
    const back = make("button", { title: "Step back", innerHTML: ICONS.back, onclick: () => live.act("step", { by: -1 / 60 }) });
    const on = make("button", { title: "Step forward", innerHTML: ICONS.on, onclick: () => live.act("step", { by: 1 / 60 }) });
    this.clock = make("span", { className: "clock" });
    this.timeline = make("input", { type: "range", step: "any", aria: "timeline", oninput: () => { this.sought = performance.now(); live.act("seek", { time: +this.timeline.value }); } });
    this.marks = make("div", { className: "marks" });
    const line = make("div", { className: "line" }, this.marks, this.timeline);
    this.speed = make("select", { title: "speed", onchange: () => live.act("speed", { name: this.speed.value }) });
    this.resume = make("button", { textContent: "Go on from here", title: "Computes anew from the shown moment and forgets what came after", onclick: () => live.act("resume") });
    this.undo = make("button", { textContent: "Undo", title: "Takes back the last push, change or restart (U)", onclick: () => live.act("undo") });
    this.restart = make("button", { className: "danger", textContent: "Restart", title: "Back to the start; can be undone", onclick: () => live.act("restart") });
    this.loop = make("input", { type: "checkbox", onchange: () => live.act("loop", { on: this.loop.checked }) });
    this.loopLabel = make("label", {}, this.loop, "Loop");
    this.foot = make("div", { className: "bar" }, this.play, back, on, this.clock, line, this.speed, this.undo, this.resume, this.restart, this.loopLabel);
    live.root.append(this.foot);
  }

  moment(frame) {
    if (performance.now() - (this.sought ?? -1e9) > 300) {
      Object.assign(this.timeline, { min: frame.first, max: Math.max(frame.last, frame.first + 0.1) });
      this.timeline.value = frame.t;
    }
    if (this.words) this.mark(this.words.events);
    this.clock.textContent = `${frame.t.toFixed(2)} s`;
    const words = frame.playing ? "Pause" : "Play";
    if (this.play.title !== words) Object.assign(this.play, { title: words, innerHTML: frame.playing ? ICONS.pause : ICONS.play });
  }

  // ------------------------------------------------------------ beside the picture
  side() {
    const { live } = this;
    this.panel = make("aside", { className: "panel" });
    const fold = make("button", { className: "fold", title: "Hide or show the panel", innerHTML: ICONS.menu, onclick: () => { this.panel.hidden = !this.panel.hidden; live.resize(); } });
    const section = (title, open, ...inside) => {
      const made = make("details", { open }, make("summary", { textContent: title }), ...inside);
      this.panel.append(made);
      return made;
    };
    this.touching = section("Touch", true, this.tools());
    this.parameters = section("Parameters", true);
    section("Camera", true, this.cameras());
    const ghost = live.stage.ghost ? [this.box("ghost", "ghost", (is) => live.stage.ghost.show(is), true)] : [];
    section("Show", true, ...ghost, ...live.about.overlays.map((name) => this.box(name, name, (is) => live.overlays.set(name, is))));
    section("Plot", false, this.plots());
    section("Save", false, this.keeping());
    this.manual = make("details", { open: false }, make("summary", { textContent: "Keys" }), make("table", {}, ...(live.about.steerable ? STEERED : HELP).map(([key, what]) => make("tr", {}, make("th", { textContent: key }), make("td", { textContent: what })))));
    this.panel.append(this.manual);
    live.root.append(this.panel, fold);
    this.panel.hidden = window.innerWidth < 640;
  }

  fit() {
    this.live.stage.beside = this.panel.hidden ? 0 : this.panel.offsetWidth;
    this.live.stage.below = this.foot.offsetHeight;
    // A window as tall as the picture takes its width from it; a low one stands below the figure and takes nothing.
    const high = Math.max(this.live.root.clientHeight - this.foot.offsetHeight, 1), share = (window) => Math.min(1, Math.max(0, (window.offsetHeight / high - 0.3) / 0.25));
    this.live.stage.aside = Math.max(0, ...[...this.live.root.querySelectorAll(".curves, .prompt, .charts, .pattern, .plot")].map((window) => share(window) * (window.offsetWidth + 16)));
  }

  box(name, words, changed, on = false) {
    const input = make("input", { type: "checkbox", checked: on, onchange: () => changed(input.checked) });
    this.boxes ??= {};
    this.boxes[name] = input;
    return make("label", { className: "check" }, input, words);
  }

  flip(name) { this.boxes[name].click(); }

  tools() {
    const { live } = this;
    this.toolButtons = Object.fromEntries([["pull", "Pull"], ["push", "Push"], ["pin", "Pin"], ["joint", "Joint"], ["draw", "Draw a way"]].map(([tool, words]) =>
      [tool, make("button", { textContent: words, onclick: () => live.touch.choose(tool) })]));
    this.strength = make("input", { type: "range", min: 0.02, max: 2, step: 0.02, value: 0.3, aria: "push strength", oninput: () => this.pushWords() });
    this.lasting = make("input", { type: "range", min: 0.02, max: 1, step: 0.02, value: 0.1, aria: "push duration", oninput: () => this.pushWords() });
    this.pushed = make("small");
    this.pushing = make("div", { hidden: true }, make("label", {}, "strength", this.strength), make("label", {}, "duration", this.lasting), this.pushed);
    this.pushWords();
    const group = make("div", { className: "group wrap" }, ...Object.values(this.toolButtons));
    queueMicrotask(() => this.tool("pull"));
    return make("div", {}, group, this.pushing);
  }

  pushWords() { this.pushed.textContent = `${(this.push().newtons).toPrecision(3)} N (${(+this.strength.value).toFixed(2)} × weight) for ${(+this.lasting.value).toFixed(2)} s`; }

  push() { return { newtons: this.strength.value * this.live.about.weight, seconds: +this.lasting.value }; }

  tool(name) {
    for (const [tool, button] of Object.entries(this.toolButtons)) button.setAttribute("aria-pressed", tool === name);
    this.pushing.hidden = name !== "push";
  }

  cameras() {
    const names = [...Object.keys(PRESETS), ...RIDES];
    const buttons = names.map((name, k) => make("button", { textContent: name, title: `key ${k + 1}`, onclick: () => this.camera(name) }));
    const follow = this.box("follow", "follow", (on) => { this.live.stage.rig.follow = on; }, true);
    const { quality } = this.live.stage;
    const choice = make("select", { aria: "quality", onchange: () => { quality.choose(choice.value); this.live.stage.suit(); choice.blur(); } }, ...CHOICES.map((name) => make("option", { value: name, textContent: name })));
    this.drawn = make("small");
    return make("div", {}, make("div", { className: "group wrap" }, ...buttons), follow, make("label", { className: "parameter" }, make("span", { textContent: "quality" }), choice), this.drawn);
  }

  camera(name) { this.live.stage.rig.go(name); this.live.stage.stale = true; }

  plots() {
    const choice = make("select", { aria: "plot of", onchange: () => {
      if (choice.value && !this.plotted.includes(choice.value)) this.plotted.push(choice.value);
      choice.value = "";
      this.showPlots();
    } }, make("option", { value: "", textContent: "add a curve …" }), ...this.live.about.channels.map((name) => make("option", { value: name, textContent: name })));
    this.plotWindow = new PlotWindow(this.live.root, (name) => { this.plotted = this.plotted.filter((n) => n !== name); this.showPlots(); });
    return choice;
  }

  showPlots() {
    this.plotWindow.choose(this.plotted);
    this.live.resize();
    this.live.wants();
  }

  plot(curves) { this.plotWindow.draw(curves, this.live.frame.t); }

  keeping() {
    this.recordButton = make("button", { textContent: "Record a film", onclick: () => this.record() });
    return make("div", { className: "group wrap" }, make("button", { textContent: "Picture", onclick: () => this.picture() }), this.recordButton,
      make("a", { className: "button", href: `${location.pathname.replace(/\/$/, "")}/replay.html`, download: `${this.live.about.file}.html`, textContent: "Page that plays" }));
  }

  picture() {
    const { stage } = this.live;
    stage.stale = true;
    stage.draw(0);
    stage.renderer.domElement.toBlob((blob) => saved(blob, `${this.live.about.file}.png`));
  }

  record() {
    if (this.recorder) { this.ending = true; this.ended(); return; }
    const kind = ["video/mp4", "video/webm"].find((type) => MediaRecorder.isTypeSupported(type));
    const pieces = [];
    this.recorder = new MediaRecorder(this.live.stage.renderer.domElement.captureStream(30), { mimeType: kind, videoBitsPerSecond: 8e6 });
    this.filmed = 0; // [bytes]
    this.ending = false;
    this.recorder.ondataavailable = ({ data }) => { pieces.push(data); this.filmed += data.size; this.ended(); };
    this.recorder.onstop = () => {
      saved(new Blob(pieces, { type: kind }), `${this.live.about.file}.${kind.slice(6)}`);
      this.recorder = null;
      this.recordButton.textContent = "Record a film";
    };
    this.recorder.start(250);
    this.recordButton.textContent = "Stop and save";
  }

  // A film ends when it was told to and has something in it.
  ended() { if (this.ending && this.filmed && this.recorder.state === "recording") this.recorder.stop(); }

  help() { this.panel.hidden = false; this.manual.open = !this.manual.open; this.manual.scrollIntoView(); this.live.resize(); }

  faster(steps) {
    const names = this.live.state.speeds, at = names.indexOf(this.live.state.speed);
    this.live.act("speed", { name: names[Math.min(names.length - 1, Math.max(0, at + steps))] });
  }

  // ------------------------------------------------------------ what the server says
  // fresh: what the parameters are is known since the last of them was set
  update(state, fresh) {
    if (this.speed.options.length !== state.speeds.length) this.speed.replaceChildren(...state.speeds.map((name) => make("option", { value: name, textContent: name === "as fast as possible" ? name : `${name} ×` })));
    if (document.activeElement !== this.speed) this.speed.value = state.speed;
    this.fault.hidden = !state.fault;
    this.fault.textContent = state.fault;
    this.watching.hidden = state.driver;
    this.restart.hidden = !state.live;
    for (const button of [this.resume, this.undo]) button.hidden = !state.reversible;
    this.loopLabel.hidden = state.live;
    this.loop.checked = state.loop;
    this.undo.disabled = !state.undo;
    this.resume.disabled = state.at_end;
    this.words = state;
    for (const [tool, button] of Object.entries(this.toolButtons)) button.hidden = tool === "draw" ? !this.live.steering : !state.tools.includes(tool);
    this.touching.hidden = !state.tools.length;
    const plain = state.parameters.filter(({ group }) => !group);
    if (this.parameters.children.length - 1 !== plain.length) this.build(plain);
    this.parameters.hidden = !plain.length;
    if (this.live.prompt) this.live.prompt.state(state.prompt ?? {});
    if (fresh) for (const { label, value } of plain) this.inputs.get(label)?.(value);
    this.mark(state.events);
  }

  build(parameters) {
    this.parameters.replaceChildren(this.parameters.firstChild, ...parameters.map((parameter) => this.input(parameter)));
  }

  input({ label, title, lower, upper, step, choices }) {
    let fresh = true; // the first change of a drag is what undo takes back
    const change = (value, first = true) => { this.live.set({ label, value, first: first || fresh }); fresh = false; };
    if (choices.length) {
      const select = make("select", { aria: title, onchange: () => change(select.value) }, ...choices.map((c) => make("option", { value: c, textContent: c })));
      this.inputs.set(label, (value) => { if (document.activeElement !== select) select.value = value; });
      select.addEventListener("change", () => select.blur());
      return make("label", { className: "parameter" }, make("span", { textContent: title }), select);
    }
    const range = make("input", { type: "range", min: lower, max: upper, step, aria: title });
    const number = make("input", { type: "number", min: lower, max: upper, step: "any", aria: `${title}, number` });
    range.onpointerdown = () => { fresh = true; };
    range.oninput = () => { number.value = range.value; change(+range.value, !range.matches(":active")); };
    number.onchange = () => { change(Math.min(upper, Math.max(lower, +number.value))); number.blur(); };
    this.inputs.set(label, (value) => {
      if (!range.matches(":active")) range.value = value;
      if (document.activeElement !== number) number.value = value;
    });
    return make("label", { className: "parameter" }, make("span", { textContent: title }), range, number);
  }

  mark(events) {
    const { first, last } = this.live.frame, whole = Math.max(last - first, 0.1);
    const wanted = events.filter(([time]) => time >= first);
    if (`${wanted.length} ${last.toFixed(1)}` === this.marked) return;
    this.marked = `${wanted.length} ${last.toFixed(1)}`;
    this.marks.replaceChildren(...wanted.map(([time, name]) => make("i", { title: `${name}, ${time.toFixed(2)} s`, style: `left: ${(100 * (time - first)) / whole}%` })));
  }

  // A few times a second: what the picture is doing.
  tick(now) {
    if (this.recorder) this.live.stage.stale = true; // a film has pictures also of what stands still
    if (now - this.seenAt < 400 || !this.words) return;
    const rate = (1000 * (this.live.pictures - this.counted)) / (now - this.seenAt);
    this.seenAt = now;
    this.counted = this.live.pictures;
    this.rate = rate;
    const { words } = this, said = [];
    if (this.live.frame.playing) said.push(`${words.pace} × real time`, `${rate.toFixed(0)} pictures/s`);
    if (words.holding) said.push(`pulling at ${words.holding}`);
    if (words.pinned.length) said.push(`pinned: ${words.pinned.join(", ")}`);
    if (words.viewers > 1) said.push(`${words.viewers} watch`);
    if (words.forgotten) said.push(words.forgotten);
    if (this.live.about.level !== null || this.live.about.earth) said.push(`squares of ${this.live.stage.squares}`);
    this.status.textContent = said.join(" · ");
    const { quality } = this.live.stage;
    this.drawn.textContent = quality.words + (quality.software ? ", without a graphics card" : "");
  }
}
