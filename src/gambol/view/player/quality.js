// How well pictures are drawn: as well as keeps them coming, or as somebody chose.
const SLOW = 0.0305, FAST = 0.0205; // [s] between pictures: more is too slow, less leaves room
export const CHOICES = ["adapts itself", "fine", "fast"];

export class Quality {
  constructor(software) {
    this.software = software;
    const dense = Math.min(window.devicePixelRatio || 1, 2);
    const plain = [1, 0.85, 0.72, 0.6, 0.5].map((ratio) => ({ plain: true, ratio }));
    this.levels = software ? plain : [...(dense > 1 ? [{ plain: false, ratio: dense }] : []), { plain: false, ratio: 1 }, ...plain];
    this.choice = CHOICES[0];
    this.at = software ? 1 : 0;
    this.patience = 40; // pictures that must have been fast before finer ones are tried
    this.begin();
  }

  begin() { Object.assign(this, { took: 0.025, since: 0, easy: 0 }); }

  get level() {
    if (this.choice === "fine") return { plain: false, ratio: Math.min(window.devicePixelRatio || 1, 2) };
    return this.choice === "fast" ? this.levels.at(-1) : this.levels[this.at];
  }

  choose(choice) {
    this.choice = choice;
    this.begin();
  }

  // One more picture was drawn, so long after the one before it [s]; gives whether the level has changed.
  drew(elapsed) {
    this.took = 0.85 * this.took + 0.15 * Math.min(elapsed, 0.1);
    this.since += 1;
    this.easy = this.took < FAST ? this.easy + 1 : 0;
    if (this.choice !== CHOICES[0] || this.since < 10) return false;
    if (this.took > SLOW && this.at < this.levels.length - 1) {
      if (this.raised) this.patience = Math.min(2 * this.patience, 2000); // finer was too much, it waits longer the next time
      return this.to(this.at + 1, false);
    }
    return this.easy >= this.patience && this.at > 0 ? this.to(this.at - 1, true) : false;
  }

  to(at, raised) {
    this.at = at;
    this.raised = raised;
    this.begin();
    return true;
  }

  get words() {
    const { plain, ratio } = this.level;
    return `${plain ? "plain" : "fine"} light, ${ratio === 1 ? "every pixel" : ratio > 1 ? `${ratio}² × the pixels` : `${Math.round(100 * ratio * ratio)} % of the pixels`}`;
  }
}
