// The view Train: puzzles, which Python has solved and explained for the export; and guesses, compared by an engine of the page.

import { gameOf } from "./play.js";
import { Refusal } from "./refusal.js";
import { after, blackShare, findTurn, turnsOf, turnsPlayed, turnView } from "./views.js";

const SEARCH = "mcts:sims=1000", SEED = 1, STEP = 0.05;  // a guess loses a point for each such share that it costs

/** A puzzle with its `view`, its `solution`, and its `answers` by turn, each with those to the next turn as `next`. */
async function puzzleOf(tab, { name, number }) {
  const { sets } = await tab.part("train"), found = sets.some((one) => one.name === name) && (await tab.part(`train-${name}`))[number - 1];
  if (!found) throw new Refusal("this page has no such puzzle", 404);
  return found;
}

/** What is known after `turns`: the person's, each followed by the reply. */
function answerTo({ answers }, turns) {
  let answer = null;
  for (const turn of turns.filter((_, i) => i % 2 === 0)) {
    answer = (answer ? answer.next : answers)?.[turn];
    if (!answer) throw new Refusal(`${turn} is no move of this puzzle; start it again`);
  }
  const { next: _, ...view } = answer;
  return view;
}

const turnName = ({ info }, text) => (text === "pass" ? "a pass" : info.look === "drop" && /^\d+$/.test(text) ? `column ${text}` : text);

/** The expected result of a position as black's share of the point, and how an engine found it. */
async function worthOf(engine, position) {
  if (position.over) return { black: (1 + position.result()) / 2, proven: true };
  engine.newGame(SEED);
  const decision = await engine.select(position), black = blackShare(decision, position.player);
  if (black === null) throw new Refusal(`${engine.spec} does not evaluate positions; choose another engine`);
  return { black, proven: decision.proven !== null, decision };
}

/** How many of a search's visits go to a turn, and to its favourite. */
function visitWords({ game }, turn, { visits }, spec) {
  const total = [...visits.values()].reduce((a, b) => a + b, 0), percent = (action) => `${Math.round(100 * (visits.get(action) ?? 0) / total)}%`;
  if (!total) return "";
  const [favourite] = [...visits].reduce((best, one) => (one[1] > best[1] ? one : best));
  const more = favourite === turn[0] ? "" : `, ${percent(favourite)} to ${turnName(game, game.texts[favourite])}`;
  return `${percent(turn[0])} of the visits of ${spec} go there${more}.`;
}

async function guess(tab, request) {
  const { plies, move, engine: spec = SEARCH } = request.body, played = gameOf(tab, request), position = played.at(plies), { game, player } = position;
  const turn = turnsPlayed(played.position).find(({ before }) => before.plies === plies);
  if (!turn || turn.actions[0] === "resign") throw new Refusal("the game ends here: there is no move to guess");
  const guessed = findTurn(position, move), engine = await tab.engine(game, spec, SEED), here = await worthOf(engine, position);
  const choice = turnsOf(position).find(({ actions }) => actions.every((action, i) => action === (here.decision.pv[i] ?? action)));
  const worths = new Map();
  for (const actions of [guessed, turn.actions, ...(choice ? [choice.actions] : [])]) {
    if (!worths.has(actions.join())) worths.set(actions.join(), await worthOf(engine, after(position, actions)));
  }
  const share = ({ black }) => (player ? 1 - black : black), all = [...worths.values()];
  const best = here.proven && all.every(({ proven }) => proven) ? share(here) : Math.max(...all.map(share));
  const judgement = (actions, words = "") => {
    const view = turnView(position, actions), worth = worths.get(actions.join()), { over, winner } = after(position, actions);
    return {
      ...view, name: turnName(game, view.text), words: over && winner === player ? "Wins at once." : words,
      value: worth.proven ? `proved ${["loss", "draw", "win"][2 * share(worth)]}` : `${Math.round(100 * share(worth))}% by ${spec}`,
      points: Math.max(0, 10 - Math.round((best - share(worth)) / STEP)),
    };
  };
  return {
    guess: judgement(guessed, visitWords(position, guessed, here.decision, spec)), game: judgement(turn.actions),
    best: choice ? judgement(choice.actions) : null, plies: plies + turn.actions.length,
  };
}

export function routes(tab) {
  const path = "/api/train/{name}/{number}";
  return {
    "/api/train": () => tab.part("train"),
    [path]: async ({ params }) => (await puzzleOf(tab, params)).view,
    [`${path}/answer`]: async ({ params, body }) => answerTo(await puzzleOf(tab, params), body.turns),
    [`${path}/solution`]: async ({ params }) => (await puzzleOf(tab, params)).solution,
    "/api/games/{id}/guess": (request) => guess(tab, request),
  };
}
