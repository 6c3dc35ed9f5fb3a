// Decisions, as engines/decision.py has them: what a driver does not know is null or empty.

export const decision = (fields) => ({
  action: null, value: null, proven: null, depth: null, policy: new Map(), values: new Map(), visits: new Map(),
  priors: new Map(), pv: [], lines: new Map(), simulations: 0, nodes: 0, ...fields,
});

/** An engine that notes its `answer` when it has thought. */
export class Driver {
  constructor(game, program, facts, settings) {
    Object.assign(this, { game, program, facts, settings });
  }

  decision() { return decision(this.answer); }
}
