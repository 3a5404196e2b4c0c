// Curves in a window of their own that can be moved.
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

export class PlotWindow {
  constructor(root, drop) {
    this.drop = drop;
    this.window = Object.assign(document.createElement("div"), { className: "plot", hidden: true });
    this.legend = Object.assign(document.createElement("div"), { className: "legend" });
    this.canvas = Object.assign(document.createElement("canvas"), { width: 720, height: 340 });
    this.window.append(this.legend, this.canvas);
    root.append(this.window);
    this.movable(root);
  }

  movable(root) {
    this.legend.addEventListener("pointerdown", (down) => {
      if (down.target.tagName === "BUTTON") return;
      const box = this.window.getBoundingClientRect(), dx = down.clientX - box.left, dy = down.clientY - box.top;
      const move = (e) => {
        Object.assign(this.window.style, { left: `${Math.max(0, Math.min(root.clientWidth - 60, e.clientX - dx))}px`, top: `${Math.max(0, Math.min(root.clientHeight - 60, e.clientY - dy))}px`, bottom: "auto" });
      };
      const end = () => { window.removeEventListener("pointermove", move); window.removeEventListener("pointerup", end); };
      window.addEventListener("pointermove", move);
      window.addEventListener("pointerup", end);
    });
  }

  choose(names) {
    this.window.hidden = !names.length;
    this.legend.replaceChildren(...names.map((name, k) => {
      const row = Object.assign(document.createElement("span"), { textContent: name });
      row.style.color = COLOURS[k % COLOURS.length];
      row.append(Object.assign(document.createElement("button"), { textContent: "×", title: `remove ${name}`, onclick: () => this.drop(name) }));
      return row;
    }));
    this.names = names;
  }

  draw(curves, now) {
    const shown = (this.names ?? []).map((name) => [name, curves[name]]).filter(([, curve]) => curve && curve.t.length > 1);
    this.curves = Object.fromEntries(shown);
    const pen = this.canvas.getContext("2d"), { width: w, height: h } = this.canvas, left = 96, low = 44, top = 16;
    pen.clearRect(0, 0, w, h);
    if (!shown.length) return;
    const t0 = Math.min(...shown.map(([, c]) => c.t[0])), t1 = Math.max(...shown.map(([, c]) => c.t.at(-1)), t0 + 1e-6);
    const all = shown.flatMap(([, c]) => c.y);
    let y0 = Math.min(...all), y1 = Math.max(...all);
    const room = Math.max(0.08 * (y1 - y0), 1e-3 * Math.max(Math.abs(y0), Math.abs(y1), 1e-3));
    y0 -= room; y1 += room;
    const x = (t) => left + ((t - t0) / (t1 - t0)) * (w - left - 16), y = (v) => h - low - ((v - y0) / (y1 - y0)) * (h - low - top);
    const style = getComputedStyle(this.window);
    pen.font = "22px system-ui, sans-serif";
    pen.lineWidth = 2;
    pen.strokeStyle = pen.fillStyle = style.color;
    pen.globalAlpha = 0.35;
    pen.strokeRect(left, top, w - left - 16, h - low - top);
    pen.globalAlpha = 1;
    pen.textAlign = "right";
    for (const v of [y0 + room, y1 - room]) pen.fillText(v.toPrecision(4), left - 8, y(v) + 8);
    pen.textAlign = "center";
    for (const t of [t0, t1]) pen.fillText(`${t.toFixed(1)} s`, Math.min(w - 40, x(t)), h - 12);
    shown.forEach(([name, curve]) => {
      pen.strokeStyle = COLOURS[this.names.indexOf(name) % COLOURS.length];
      pen.lineWidth = 3;
      pen.beginPath();
      curve.t.forEach((t, i) => pen[i ? "lineTo" : "moveTo"](x(t), y(curve.y[i])));
      pen.stroke();
    });
    pen.strokeStyle = style.color;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(x(Math.min(Math.max(now, t0), t1)), top);
    pen.lineTo(x(Math.min(Math.max(now, t0), t1)), h - low);
    pen.stroke();
  }
}
