// Games by their compiled rules: a Game, and its Positions, which never change.

import { Refusal } from "./refusal.js";
import { loadProgram } from "./programs.js";

const OVER = -1n, ILLEGAL = -2n;

/** A game of dlgo/games or of a user. Its facts are those of experiments/tab/programs.py. */
export class Game {
  static async load(facts) {
    return new Game(facts, await loadProgram(facts.program));
  }

  constructor({ program: _, ...facts }, program) {
    Object.assign(this, facts, { program });
    // The arrays of a state, as bytes; all positions share tables that no move changes.
    this.fields = program.names("survey").filter((name) => name.startsWith("state."))
      .map((name) => name.slice(6)).filter((name) => !this.shared.includes(name));
    this.memory = this.fields.map((field) => program.bytes("survey", `state.${field}`));
    this.out = program.array("survey", "out");
    this.first = this.memory.map((bytes) => bytes.slice());
    this.inside = null;  // the position that is in memory
  }

  start() {
    const position = new Position(this, null, null, this.first);
    return position.survey(this.call(position, "survey"));
  }

  /** Call a function of the program with a position as its `state`. */
  call(position, name, parameters) {
    if (this.inside !== position) position.copyTo(this.memory);
    this.inside = position;
    return this.program.call(name, parameters);
  }
}

export class Position {
  constructor(game, previous, action, content) {
    Object.assign(this, { game, previous, action, content });
    this.plies = previous ? previous.plies + 1 : 0;
  }

  /** Note the answer of `survey`: the legal actions and the player to move. */
  survey([n, player]) {
    this.player = Number(player);
    this.over = n === OVER;
    this.actions = this.over ? [] : this.#written(n);
    return this;
  }

  copyTo(memory) {
    this.content.forEach((bytes, i) => memory[i].set(bytes));
  }

  /** Copy the state into the memory of an engine: to an argument of a call, such as "roots". */
  write(program, call, argument) {
    this.copyTo(this.game.fields.map((field) => program.bytes(call, `${argument}.${field}`)));
  }

  /** The position after an action, or "resign". */
  play(action) {
    const { game } = this;
    if (this.over) throw new Refusal("the game is over");
    if (action === "resign") {
      const last = new Position(game, this, action, this.content);
      return Object.assign(last, { player: this.player, over: true, actions: [] });
    }
    const answer = game.call(this, "play", { action });
    game.inside = null;
    if (answer[0] === ILLEGAL) throw new Refusal(`${game.texts[action] ?? action} is illegal here`);
    return new Position(game, this, action, game.memory.map((bytes) => bytes.slice())).survey(answer);
  }

  /** +1, 0 or -1 for player 0, in a finished game. */
  result() {
    if (this.action === "resign") return this.player ? 1 : -1;
    return Number(this.game.call(this, "outcome")[0]);
  }

  get winner() {
    const result = this.over ? this.result() : 0;
    return result ? (1 - result) / 2 : null;
  }

  margin() { return this.game.call(this, "outcome")[1]; }

  /** The content of each cell: a piece, or -1. */
  cells() {
    this.game.call(this, "pieces");
    return Array.from(this.game.program.array("pieces", "out"), Number);
  }

  key() { return this.game.call(this, "key"); }
  sensible() { return this.#written(this.game.call(this, "sensible")); }
  forced() { return this.#written(this.game.call(this, "forced")); }

  /** The game's own estimate for the player to move, a whole number. */
  evaluate() { return Number(this.game.call(this, "estimate")); }

  #written(n) { return Array.from(this.game.out.subarray(0, Number(n)), Number); }

  /** All positions from the start of the game to this one. */
  history() {
    const line = [this];
    while (line[0].previous) line.unshift(line[0].previous);
    return line;
  }
}
