// The charts of a hybrid system: which one it is in, those it went through of late, and how often it changed.
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#7f7f7f"];
const WIDE = 640, ROW = 30, NAMES = 56;
export const STANCE = "#d55e00", AIR = "#e8e4da"; // as in gait diagrams

export class Charts {
  constructor(root) {
    this.window = Object.assign(document.createElement("div"), { className: "charts" });
    this.now = Object.assign(document.createElement("strong"), {});
    this.count = Object.assign(document.createElement("small"), {});
    this.canvas = Object.assign(document.createElement("canvas"), { width: WIDE, height: 2 * ROW });
    this.canvas.setAttribute("aria-label", "charts of late");
    this.window.append(this.now, this.count, this.canvas);
    root.append(this.window);
    this.known = new Map();
  }

  colour(name) {
    if (!this.known.has(name)) this.known.set(name, COLOURS[this.known.size % COLOURS.length]);
    return this.known.get(name);
  }

  // t: the time shown; chart: its name; changes: [time, chart entered] of late; legs in stance where the model has legs
  draw({ t, charts }) {
    if (!charts) return;
    const { chart, changed, span, stretches, rows } = charts;
    this.chart = chart;
    this.now.textContent = `chart: ${chart}`;
    this.now.style.borderColor = this.colour(chart);
    this.count.textContent = `${changed} changes of chart`;
    const first = rows.length ? NAMES : 0, high = rows.length ? ROW : 2 * ROW, whole = high * Math.max(1, rows.length);
    if (this.canvas.height !== whole) this.canvas.height = whole;
    const pen = this.canvas.getContext("2d"), x = (time) => first + (WIDE - first) * Math.max(0, 1 - (t - time) / span);
    pen.clearRect(0, 0, WIDE, whole);
    for (const [from, to, name, on] of stretches) {
      const left = x(from), wide = Math.max(1, x(Math.min(to, t)) - left);
      if (!rows.length) { pen.fillStyle = this.colour(name); pen.fillRect(left, 0, wide, whole); continue; }
      rows.forEach((_, k) => { pen.fillStyle = on[k] ? STANCE : AIR; pen.fillRect(left, k * high + 2, wide, high - 4); });
    }
    pen.font = "22px system-ui, sans-serif";
    pen.textBaseline = "middle";
    this.ink ??= getComputedStyle(this.window).color;
    pen.fillStyle = this.ink;
    rows.forEach((name, k) => pen.fillText(name, 2, (k + 0.5) * high));
  }
}
