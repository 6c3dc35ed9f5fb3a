// The clocks of a game, as experiments/studio/clocks.py has them: main time, then an increment or periods of byo-yomi.
//
// Only the clock of the player to move runs, from the first move on. An engine's clock counts its thinking.

import { Refusal } from "./refusal.js";

const FORM = /^(\d{1,4}(?:\.\d{1,4})?)(?:\+(?:(\d{1,2})x)?(\d{1,4}))?$/;
// See experiments/gtp/clock.py.
const SHARE = 0.9, LAG = 0.05, LEAST = 0.01, FEWEST_MOVES = 12, SHARE_OF_EMPTY_CELLS = 3;

/** Seconds of a clock that never goes back. */
export const now = () => performance.now() / 1000;

/** The clock that a file's `info` sets, as `Clocks` takes it; "" for none, or for one that they do not have. */
export function clockIn({ TM, OT = "", TimeControl = "" }) {
  const over = /^((?:\d+x)?\d+) (?:byo-yomi|fischer)$/i.exec(OT)?.[1];
  const [seconds, extra] = TM ? [TM, over] : TimeControl.split("+");
  const text = `${Number((Number(seconds) / 60).toFixed(4))}${extra ? `+${extra}` : ""}`;
  return FORM.test(text) && text !== "0" && Boolean(OT) === Boolean(over) ? text : "";
}

export class Clocks {
  /** @param text such as "10+5" or "10+3x30"; "": no clock. @param onLate called when a player has lost on time. */
  constructor(text, onLate) {
    const [form, minutes = 0, periods = 0, seconds = 0] = FORM.exec(text.replaceAll(" ", "")) ?? [];
    Object.assign(this, { text, onLate, main: Math.round(600 * minutes) / 10, periods: Number(periods) });
    this.period = this.periods ? Number(seconds) : 0;
    this.increment = this.periods ? 0 : Number(seconds);
    if (text && (!form || (this.periods && !this.period) || !(this.main + this.period))) {
      throw new Refusal(`the clock '${text.slice(0, 40)}' cannot be read; write 10+5 for ten minutes and 5 seconds a move, `
        + "or 10+3x30 for ten minutes, then 3 periods of 30 s");
    }
    this.after = new Map();  // what both have left, by number of moves
    this.running = null;
    this.goBack(0);
  }

  /** Seconds until the time of a player is up; null without a limit, and before the first move. */
  remaining(player) {
    const [seconds, stones] = this.left[player];
    return this.after.size ? seconds + (stones ? stones - 1 : this.periods) * this.period : null;
  }

  /** Seconds that an engine should take for its move. */
  share(player, emptyCells) {
    const [seconds, stones] = this.left[player], moves = Math.max(Math.floor(emptyCells / SHARE_OF_EMPTY_CELLS), FEWEST_MOVES);
    const share = stones ? seconds : Math.min(seconds / moves + this.period + this.increment, seconds + this.period);
    return Math.max(share * SHARE - LAG, Math.min(LEAST, share / 2));
  }

  /** Seconds of this turn so far. */
  get used() { return this.before + (this.running === null ? 0 : now() - this.began); }

  /** Start the clock of the player to move. That of an engine is for display: it calls `check`. */
  run(player, engine = false) {
    const remaining = this.remaining(player);
    if (remaining === null || this.running !== null || this.late !== null) return;
    if (engine) this.before = 0;
    else this.alarm = setTimeout(() => this.check(player, remaining), 1000 * (remaining - this.before));
    [this.running, this.began] = [player, now()];
  }

  /** Stop the clock that runs; the seconds of this turn so far count. */
  hold() {
    [this.before, this.running] = [this.used, null];
    clearTimeout(this.alarm);
  }

  /** End the game if a player has used more seconds in this turn than there were. */
  check(player, elapsed) {
    const remaining = this.remaining(player);
    if (remaining === null || elapsed < remaining || this.late !== null) return;
    this.hold();
    [this.before, this.late] = [remaining, player];
    this.onLate();
  }

  /** A player has moved, which makes `plies` moves, after `used` seconds, by default those counted here. */
  endTurn(plies, player, used = null) {
    this.hold();
    let [seconds, stones] = this.left[player];
    seconds -= this.after.size ? used ?? this.before : 0;
    if (this.periods && (stones || seconds < 0)) {
      stones = Math.max((stones || this.periods + 1) - (seconds < 0 ? Math.floor(-seconds / this.period) + 1 : 0), 1);
      seconds = this.period;
    } else if (this.after.size) seconds += this.increment;
    this.left[player] = [Math.max(seconds, 0), stones];
    if (this.text) this.after.set(plies, [...this.left]);
    this.before = 0;
  }

  /** Show what was left after `plies` moves. */
  goBack(plies) {
    this.hold();
    this.left = [0, 1].map(() => (!this.main && this.periods ? [this.period, this.periods] : [this.main, 0]));
    for (const [at, left] of this.after) {
      if (at <= plies) this.left = [...left];
      else this.after.delete(at);
    }
    [this.before, this.late] = [0, null];
  }

  view() {
    const { text, left, period, periods, used, running } = this;
    return text ? { text, left: [...left], period, periods, used: Math.round(100 * used) / 100, running } : null;
  }

  /** The time settings as a file of that format writes them. */
  properties(form) {
    const over = this.periods ? `${this.periods}x${this.period}` : this.increment ? String(this.increment) : "";
    if (!this.text) return {};
    if (form !== "sgf") return { TimeControl: over ? `${this.main}+${over}` : String(this.main) };
    return { TM: String(this.main), ...(over ? { OT: `${over} ${this.periods ? "byo-yomi" : "fischer"}` } : {}) };
  }
}
