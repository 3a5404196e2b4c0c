// A prompt beside the picture: what a script prints, and a line to type commands on.
const MOST = 400; // lines kept

export class Prompt {
  constructor(live, { name, lines }) {
    this.live = live;
    this.typed = [];
    this.back = 0;
    this.window = Object.assign(document.createElement("div"), { className: "prompt" });
    this.title = Object.assign(document.createElement("div"), { className: "legend", textContent: name });
    this.out = Object.assign(document.createElement("pre"), { ariaLabel: "what it printed" });
    this.input = Object.assign(document.createElement("input"), { type: "text", spellcheck: false, autocomplete: "off", placeholder: "a command, or help" });
    this.input.setAttribute("aria-label", "command");
    this.input.value = sessionStorage.getItem("gambol typed") ?? "";
    this.mark = Object.assign(document.createElement("span"), { textContent: "corpus>" });
    const line = Object.assign(document.createElement("label"), { className: "typing" });
    line.append(this.mark, this.input);
    this.window.append(this.title, this.out, line);
    live.root.append(this.window);
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.say(lines);
    if (sessionStorage.getItem("gambol typing")) this.input.focus();
  }

  // Kept over a change of the scene, which loads the page anew.
  keep() {
    sessionStorage.setItem("gambol typed", this.input.value);
    sessionStorage.setItem("gambol typing", document.activeElement === this.input ? "1" : "");
  }

  key(event) {
    event.stopPropagation();
    if (event.key === "Enter") {
      const text = this.input.value;
      this.typed.push(text);
      this.back = 0;
      this.input.value = "";
      this.live.act("type", { text });
    } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      this.back = Math.min(this.typed.length, Math.max(0, this.back + (event.key === "ArrowUp" ? 1 : -1)));
      this.input.value = this.back ? this.typed.at(-this.back) : "";
      event.preventDefault();
    } else if (event.key === "Escape") this.input.blur();
  }

  state({ busy, collecting }) {
    this.mark.textContent = collecting ? "      >" : busy ? "running" : "corpus>";
    this.window.classList.toggle("busy", Boolean(busy));
  }

  say(lines) {
    const low = this.out.scrollTop + this.out.clientHeight >= this.out.scrollHeight - 8;
    for (const text of lines) this.out.append(Object.assign(document.createElement("div"), { textContent: text || " ", className: /^corpus>/.test(text) ? "said" : /(^|: )error/.test(text) ? "wrong" : "" }));
    while (this.out.childElementCount > MOST) this.out.firstChild.remove();
    if (low || lines.length > 20) this.out.scrollTop = this.out.scrollHeight;
  }
}
