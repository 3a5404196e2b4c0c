// The charts of a hybrid system: which one it is in, those it went through of late, and how often it changed.
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#7f7f7f"];
const WIDE = 640, HIGH = 96;

export class Charts {
  constructor(root) {
    this.window = Object.assign(document.createElement("div"), { className: "charts" });
    this.now = Object.assign(document.createElement("strong"), {});
    this.count = Object.assign(document.createElement("small"), {});
    this.canvas = Object.assign(document.createElement("canvas"), { width: WIDE, height: HIGH });
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
    const pen = this.canvas.getContext("2d"), x = (time) => Math.max(0, WIDE * (1 - (t - time) / span));
    pen.clearRect(0, 0, WIDE, HIGH);
    const high = HIGH / Math.max(1, rows.length || 1);
    for (const [from, to, name, on] of stretches) {
      const left = x(from), right = x(Math.min(to, t));
      if (!rows.length) { pen.fillStyle = this.colour(name); pen.fillRect(left, 0, Math.max(1, right - left), HIGH); continue; }
      rows.forEach((_, k) => { if (on[k]) { pen.fillStyle = "#0072b2"; pen.fillRect(left, k * high + 1, Math.max(1, right - left), high - 2); } });
    }
    pen.font = "16px system-ui, sans-serif";
    pen.textBaseline = "middle";
    this.ink ??= getComputedStyle(this.window).color;
    pen.fillStyle = this.ink;
    rows.forEach((name, k) => pen.fillText(name, 2, (k + 0.5) * high));
  }
}
