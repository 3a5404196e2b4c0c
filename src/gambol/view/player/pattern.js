// The step pattern: for each leg its oscillator, which flashes as the leg steps, and a bar that scrolls, dark while it stands.
import { AIR, STANCE } from "./charts.js";

const ROW = 44;

export class Pattern {
  constructor(root, names) {
    this.names = names;
    this.window = Object.assign(document.createElement("div"), { className: "pattern" });
    this.canvas = Object.assign(document.createElement("canvas"), { width: 640, height: 8 + ROW * names.length });
    this.canvas.setAttribute("aria-label", "step pattern");
    this.window.append(Object.assign(document.createElement("small"), { textContent: "oscillators and steps (dark: on the ground)" }), this.canvas);
    root.append(this.window);
  }

  // t: the time shown; steps: [begin, end] of every leg's late steps; cycle, span: [s]
  draw({ t, steps, cycle, span }) {
    const pen = this.canvas.getContext("2d"), { width: w, height: h } = this.canvas, left = 150, wide = w - left - 8;
    const x = (time) => left + wide * Math.min(1, Math.max(0, 1 - (t - time) / span));
    this.ink ??= getComputedStyle(this.window).color;
    pen.clearRect(0, 0, w, h);
    pen.font = "22px system-ui, sans-serif";
    pen.textBaseline = "middle";
    this.flashing = steps.map((leg) => leg.some(([begin, end]) => begin <= t && t < end));
    this.names.forEach((name, k) => {
      const y = 26 + ROW * k;
      this.dial(pen, y, steps[k].length ? (t - steps[k].at(-1)[0]) / cycle : 0, this.flashing[k]);
      pen.fillStyle = this.ink;
      pen.fillText(name.toUpperCase(), 4, y);
      pen.fillStyle = STANCE;
      pen.fillRect(x(Math.max(0, t - span)), y - 13, w - 8 - x(Math.max(0, t - span)), 26);
      pen.fillStyle = AIR;
      for (const [begin, end] of steps[k]) pen.fillRect(x(begin), y - 13, x(Math.min(end, t)) - x(begin), 26);
    });
  }

  dial(pen, y, phase, steps) {
    const turn = 2 * Math.PI * phase;
    pen.beginPath();
    pen.arc(100, y, 15, 0, 2 * Math.PI);
    pen.fillStyle = steps ? "#56b4e9" : "rgb(128 128 128 / 25%)";
    pen.fill();
    pen.strokeStyle = this.ink;
    pen.lineWidth = 3;
    pen.beginPath();
    pen.moveTo(100, y);
    pen.lineTo(100 + 15 * Math.sin(turn), y - 15 * Math.cos(turn));
    pen.stroke();
  }
}
