// Torque over angle of hinges, bent by the mouse: take an edge of the free play, its middle, or the slope.
const WIDE = 600, HIGH = 190, LEFT = 14, LOW = 30, TOP = 12, NEAR = 12; // [pixels of the picture]

export class Curves {
  constructor(live, parameters) {
    this.live = live;
    this.window = Object.assign(document.createElement("div"), { className: "curves" });
    const head = Object.assign(document.createElement("div"), { className: "legend" });
    this.choice = Object.assign(document.createElement("select"), { onchange: () => this.choose() });
    this.choice.setAttribute("aria-label", "axis of the torque functions");
    head.append(Object.assign(document.createElement("span"), { textContent: "Torque functions" }), this.choice);
    for (const group of new Set(parameters.map((p) => p.group))) this.choice.append(Object.assign(document.createElement("option"), { value: group, textContent: group }));
    this.pictures = parameters.map((parameter, k) => new Curve(live, parameter, k));
    this.window.append(head, ...this.pictures.map((picture) => picture.box), Object.assign(document.createElement("small"), { textContent: "drag the edges of the free play, its middle, or the slope" }));
    live.root.append(this.window);
    this.choose();
  }

  choose() {
    for (const picture of this.pictures) picture.box.hidden = picture.parameter.group !== this.choice.value;
    this.choice.blur();
    this.draw();
  }

  update(parameters) { parameters.forEach((parameter, k) => this.pictures[k].told(parameter.value)); }

  // angles: where the hinges are [rad]
  show(angles) { this.angles = angles; this.draw(); }

  draw() { this.pictures.forEach((picture, k) => { if (!picture.box.hidden) picture.draw(this.angles?.[k]); }); }
}

// Colours of the theme, asked for anew when it changes.
let known = null;
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { known = null; });
function inks(box) {
  if (!known) { const style = getComputedStyle(box); known = { ink: style.color, accent: style.getPropertyValue("--accent") }; }
  return known;
}

class Curve {
  constructor(live, parameter, index) {
    Object.assign(this, { live, parameter, index, value: parameter.value, hot: "" });
    this.canvas = Object.assign(document.createElement("canvas"), { width: WIDE, height: HIGH });
    this.canvas.setAttribute("aria-label", parameter.label);
    this.name = Object.assign(document.createElement("small"), {});
    this.box = Object.assign(document.createElement("div"), { className: "curve" });
    this.box.append(this.name, this.canvas);
    this.canvas.addEventListener("pointermove", (e) => this.moved(e));
    this.canvas.addEventListener("pointerdown", (e) => this.taken(e));
    this.canvas.addEventListener("pointerup", () => { this.held = ""; });
    this.canvas.addEventListener("pointerleave", () => { if (!this.held) this.light(""); });
  }

  x(angle) { const { lower, upper } = this.parameter; return LEFT + ((angle - lower) / (upper - lower)) * (WIDE - 2 * LEFT); }
  y(torque) { return TOP + (0.5 - (0.5 * torque) / this.parameter.most) * (HIGH - LOW - TOP); }
  angle(x) { const { lower, upper } = this.parameter; return lower + ((x - LEFT) / (WIDE - 2 * LEFT)) * (upper - lower); }
  torque(y) { return (0.5 - (y - TOP) / (HIGH - LOW - TOP)) * 2 * this.parameter.most; }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    return [((event.clientX - box.left) / box.width) * WIDE, ((event.clientY - box.top) / box.height) * HIGH];
  }

  of(angle) {
    const [centre, zone, slope] = this.value, e = angle - centre;
    return -slope * Math.sign(e) * Math.max(0, Math.abs(e) - zone);
  }

  // What of the curve is near a place: an edge of the free play, its middle, the slope beside it.
  near([x, y]) {
    const [centre, zone] = this.value, left = this.x(centre - zone), right = this.x(centre + zone), edge = Math.max(NEAR, 0.25 * Math.min(40, right - left));
    if (Math.abs(y - this.y(0)) < 2 * NEAR && x > left - NEAR && x < right + NEAR) return x < left + edge && right - left > NEAR ? "left" : x > right - edge && right - left > NEAR ? "right" : "middle";
    return x < left || x > right ? "slope" : "middle";
  }

  light(hot) {
    if (hot === this.hot) return;
    this.hot = hot;
    this.canvas.style.cursor = { "": "", slope: "ns-resize", middle: "grab" }[hot] ?? "ew-resize";
    this.draw(this.seen);
  }

  taken(event) {
    if (!this.live.state.driver) return;
    this.held = this.near(this.at(event));
    const [centre, zone] = this.value;
    this.from = { angle: this.angle(this.at(event)[0]), centre, zone };
    this.canvas.setPointerCapture(event.pointerId);
    event.preventDefault();
  }

  moved(event) {
    const place = this.at(event);
    if (!this.held) { this.light(this.near(place)); return; }
    const { lower, upper } = this.parameter, { angle, centre, zone } = this.from, by = this.angle(place[0]) - angle;
    const inside = (a) => Math.min(upper, Math.max(lower, a));
    let [c, z, slope] = this.value;
    if (this.held === "middle") c = inside(centre + by);
    else if (this.held === "slope") {
      const beyond = Math.abs(this.angle(place[0]) - c) - z, wanted = -this.torque(place[1]) * Math.sign(this.angle(place[0]) - c);
      if (beyond > 0.02 * (upper - lower)) slope = Math.max(0, wanted / beyond);
    } else {
      const left = this.held === "left" ? inside(Math.min(centre - zone + by, centre + zone)) : centre - zone;
      const right = this.held === "right" ? inside(Math.max(centre + zone + by, centre - zone)) : centre + zone;
      c = 0.5 * (left + right); z = 0.5 * (right - left);
    }
    this.value = [c, z, slope];
    this.live.set({ label: this.parameter.label, value: this.value, first: !this.from.moved });
    this.from.moved = true;
    this.draw(this.seen);
  }

  told(value) { if (!this.held) this.value = value; }

  draw(angle) {
    this.seen = angle;
    const pen = this.canvas.getContext("2d"), [centre, zone, slope] = this.value, { lower, upper, label } = this.parameter;
    const { ink, accent } = inks(this.box);
    const moment = angle === undefined ? "" : `, now ${this.of(angle).toPrecision(2)} N·m at ${((180 * angle) / Math.PI).toFixed(0)}°`;
    const words = `${label}: ${slope.toPrecision(3)} N·m/rad${moment}`;
    if (words !== this.words) this.name.textContent = this.words = words;
    pen.clearRect(0, 0, WIDE, HIGH);
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, TOP, WIDE - 2 * LEFT, HIGH - LOW - TOP);
    pen.clip();
    pen.fillStyle = accent;
    pen.globalAlpha = /left|right|middle/.test(this.held || this.hot) ? 0.3 : 0.15;
    pen.fillRect(this.x(centre - zone), TOP, Math.max(3, this.x(centre + zone) - this.x(centre - zone)), HIGH - LOW - TOP);
    pen.globalAlpha = 0.35;
    pen.strokeStyle = ink;
    pen.lineWidth = 2;
    pen.beginPath();
    pen.moveTo(LEFT, this.y(0)); pen.lineTo(WIDE - LEFT, this.y(0));
    pen.moveTo(this.x(0), TOP); pen.lineTo(this.x(0), HIGH - LOW);
    pen.stroke();
    pen.globalAlpha = 1;
    pen.strokeStyle = accent;
    pen.lineWidth = (this.held || this.hot) === "slope" ? 7 : 4;
    pen.beginPath();
    for (const a of [lower, centre - zone, centre + zone, upper]) pen.lineTo(this.x(a), this.y(this.of(a)));
    pen.stroke();
    for (const [name, a] of [["left", centre - zone], ["right", centre + zone]]) this.dot(pen, a, (this.held || this.hot) === name ? 11 : 7, accent);
    if (angle !== undefined) this.dot(pen, angle, 10, "#e69f00");
    pen.restore();
    pen.fillStyle = ink;
    pen.font = "20px system-ui, sans-serif";
    pen.textAlign = "center";
    for (const a of [-1.5, -1, -0.5, 0, 0.5, 1, 1.5]) if (a >= lower && a <= upper) pen.fillText(a === 1 ? "1 rad" : `${a}`, this.x(a), HIGH - 8);
  }

  dot(pen, angle, radius, colour) {
    pen.fillStyle = colour;
    pen.beginPath();
    pen.arc(this.x(angle), this.y(this.of(angle)), radius, 0, 2 * Math.PI);
    pen.fill();
  }
}
