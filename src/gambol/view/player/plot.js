// Curves in a window of their own that can be moved.
const LEFT = 96, LOW = 38; // [pixels of the canvas] beside and below the curves
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
    const pen = this.canvas.getContext("2d"), { width: w, height: h } = this.canvas;
    pen.clearRect(0, 0, w, h);
    if (!shown.length) return;
    const t0 = Math.min(...shown.map(([, c]) => c.t[0])), t1 = Math.max(...shown.map(([, c]) => c.t.at(-1)), t0 + 1e-6);
    const x = (t) => LEFT + ((t - t0) / (t1 - t0)) * (w - LEFT - 16);
    const units = [...new Set(shown.map(([name]) => unitOf(name)))], high = (h - LOW) / units.length;
    pen.font = "22px system-ui, sans-serif";
    this.ink = getComputedStyle(this.window).color;
    units.forEach((unit, k) => this.axes(pen, shown.filter(([name]) => unitOf(name) === unit), unit, x, k * high + 10, (k + 1) * high - 6));
    pen.textAlign = "center";
    pen.fillStyle = this.ink;
    for (const t of [t0, t1]) pen.fillText(`${t.toFixed(1)} s`, Math.min(w - 40, x(t)), h - 10);
    pen.strokeStyle = this.ink;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(x(Math.min(Math.max(now, t0), t1)), 10);
    pen.lineTo(x(Math.min(Math.max(now, t0), t1)), h - LOW - 6);
    pen.stroke();
  }

  // The curves of one unit, between two rows of pixels.
  axes(pen, curves, unit, x, top, low) {
    const all = curves.flatMap(([, c]) => c.y), least = Math.min(...all), most = Math.max(...all);
    const room = Math.max(0.08 * (most - least), 1e-3 * Math.max(Math.abs(least), Math.abs(most), 1e-3)), y0 = least - room, y1 = most + room;
    const y = (v) => low - ((v - y0) / (y1 - y0)) * (low - top);
    pen.strokeStyle = pen.fillStyle = this.ink;
    pen.lineWidth = 2;
    pen.globalAlpha = 0.35;
    pen.strokeRect(LEFT, top, this.canvas.width - LEFT - 16, low - top);
    pen.globalAlpha = 1;
    pen.textAlign = "right";
    const ends = most - least > 1e-6 * Math.max(Math.abs(least), Math.abs(most)) && low - top > 60 ? [least, most] : [0.5 * (least + most)];
    for (const v of ends) pen.fillText(ends.length > 1 ? short(v, y1 - y0) : `${short(v, y1 - y0)} ${unit}`, LEFT - 8, Math.min(low - 2, Math.max(top + 18, y(v) + 8)));
    if (ends.length > 1 && low - top > 90) pen.fillText(unit, LEFT - 8, 0.5 * (top + low) + 8);
    for (const [name, curve] of curves) {
      pen.strokeStyle = COLOURS[this.names.indexOf(name) % COLOURS.length];
      pen.lineWidth = 3;
      pen.beginPath();
      curve.t.forEach((t, i) => pen[i ? "lineTo" : "moveTo"](x(t), y(curve.y[i])));
      pen.stroke();
    }
  }
}

// The unit in the brackets of a name.
const unitOf = (name) => /\[([^\]]*)\]$/.exec(name)?.[1] ?? "";

// A number as exactly as its axis tells it apart, in seven signs.
function short(value, span) {
  if (Math.abs(value) < 1e-3 * span) return "0";
  const digits = Math.min(5, Math.max(2, Math.ceil(Math.log10(Math.abs(value) / span)) + 3)), text = String(+value.toPrecision(digits));
  return text.length > 7 ? value.toExponential(1) : text;
}
