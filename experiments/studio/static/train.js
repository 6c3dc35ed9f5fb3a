// The view Train: puzzles and games to choose from (#/train), puzzles (#/train/puzzles/NAME/NUMBER), and a game whose
// moves are guessed (#/train/ID, in guess.js).

import { ask } from "./api.js";
import { pictureOf } from "./boards/index.js";
import { capital, h, patch } from "./dom.js";
import { filePicker } from "./files.js";
import { openGuess, trainBoard } from "./guess.js";
import { controls, memory, toolbar } from "./parts.js";
import { answersOf, ratingOf } from "./rating.js";

const [remembered, remember] = memory("train");
/** The puzzles tried, in their order: [number, whether the first answer was right]. */
const triedOf = (name) => JSON.parse(remembered(name, "[]"));

/** The person's rating by the puzzles of some sets, as a text; "" before the first answer. */
function ratingText(sets) {
  const answers = answersOf(sets, triedOf), { rating, margin } = ratingOf(answers);
  return answers.length ? `${rating} ± ${margin}` : "";
}

export function open(root, place, app) {
  const [kind, name, number] = place.split("/").map(decodeURIComponent);
  if (kind === "puzzles") return openPuzzle(root, name, Number(number), app);
  return kind ? openGuess(root, kind, app) : openChoice(root, app);
}

async function openChoice(root, app) {
  const { sets } = await ask("/api/train"), picker = filePicker(app, "train");
  const { buttons, keys } = controls({ file: { open: picker.open } });
  const card = (set) => {
    const { name, title, info, sample, ratings: { length: count } } = set;
    const tried = triedOf(name), number = (tried.at(-1)?.[0] ?? 0) % count + 1;
    const words = tried.length ? `${tried.length} of ${count} tried, ${tried.filter(([, right]) => right).length} right, rating ${ratingText([set])}`
      : `${count} puzzles`;
    return h("a", { class: "game-card", href: `#/train/puzzles/${encodeURIComponent(name)}/${number}` },
      pictureOf(info, sample).svg, h("span", { class: "name" }, title), h("small", {}, words));
  };
  const rating = ratingText(sets);
  const box = h("div", { class: "start" }, h("h1", {}, "Puzzles"), h("p", { class: "note", hidden: !rating }, `Your rating in all puzzles: ${rating}`),
    h("div", { class: "games" }, sets.map(card)),
    h("h2", {}, "Guess the moves of a game"), h("div", { class: "panel" },
      h("p", {}, "See a game from one side, guess each move, and compare it with the game and with an engine. Games in Play and Watch have a button Guess moves, also while two engines play."),
      h("div", { class: "actions" }, buttons.open)));
  root.append(box);
  picker.on(box);
  return { keys };
}

async function openPuzzle(root, name, number, app) {
  const path = `/api/train/${encodeURIComponent(name)}/${number}`;
  const [puzzle, { sets }] = await Promise.all([ask(path), ask("/api/train")]), { levels, themes } = puzzle;
  let numbers = [];  // of the puzzles of the chosen theme
  let turns = [], told = [], shown = puzzle.position;
  let state = "asked";  // then wrong, solved or told
  const go = (to) => app.go(`train/puzzles/${encodeURIComponent(name)}/${to}`);
  const step = (by) => go(numbers.at((numbers.indexOf(number) + by) % numbers.length));
  const { buttons, keys, bars } = controls({
    navigation: {
      back: ["◂", "N", "previous puzzle", () => step(-1)],
      forth: ["Next puzzle ▸", "n", "next puzzle", () => step(1)],
    },
    puzzle: {
      again: ["Try again", "r", "try again", again, { class: "main" }],
      solution: ["Solution", "s", "show the solution", solve],
    },
    view: {
      flip: ["Flip", "f", "turn the board", () => board.flip()],
      all: ["All puzzles", "l", "choose other puzzles", () => app.go("train")],
    },
  });
  const choice = h("select", { id: "puzzle", "aria-label": "Puzzle", onchange: () => go(Number(choice.value)) });
  const theme = h("select", { id: "puzzle-theme", "aria-label": "Theme", onchange: () => choose(theme.value) },
    ["", ...new Set(themes)].map((one) => h("option", { value: one },
      one ? `${capital(one)} (${themes.filter((other) => other === one).length})` : "All themes")));
  const count = h("p", { class: "note" });
  const { board, status, words } = trainBoard(root, puzzle, judge, app, [h("h2", {}, puzzle.goal)], [toolbar(bars), theme, choice, count]);
  board.flip(puzzle.look === "checkers" && puzzle.position.turn === 0);
  choose(remembered(`${name}-theme`, "") === themes[number - 1] ? themes[number - 1] : "");
  draw(true);

  function draw(still, line = []) {
    const asked = state === "asked";
    board.show(shown, asked ? shown.moves ?? [] : [], { line }, still);
    buttons.again.hidden = asked || state === "solved";
    buttons.solution.hidden = !buttons.again.hidden && state === "told";
    buttons.forth.classList.toggle("main", state === "solved");
    status.classList.toggle("over", state === "solved");
    const tried = triedOf(name), row = tried.length - 1 - tried.findLastIndex(([, right]) => !right);
    const { game } = sets.find((set) => set.name === name), own = sets.filter((set) => set.game === game);
    count.textContent = tried.length ? `Right at the first try: ${tried.filter(([, right]) => right).length} of ${tried.length}${
      row > 1 ? `, the last ${row} in a row` : ""}. Your rating in this game: ${ratingText(own)}, in all: ${ratingText(sets)}.` : "";
  }

  /** Offer the puzzles of a theme only, and begin with the first of them if this is none. */
  function choose(wanted) {
    remember(`${name}-theme`, theme.value = wanted);
    numbers = levels.map((_, i) => i + 1).filter((n) => !wanted || themes[n - 1] === wanted);
    choice.replaceChildren(...numbers.map((n) => h("option", { value: n, selected: n === number }, `Puzzle ${n} of ${levels.length}, ${levels[n - 1]}`)));
    if (!numbers.includes(number)) go(numbers[0]);
  }

  /** Only the first answer counts. */
  function score(right) {
    const tried = triedOf(name);
    if (!tried.some(([other]) => other === number)) remember(name, JSON.stringify([...tried, [number, right]]));
  }

  async function judge(text) {
    if (state !== "asked") return;
    state = "judged";
    status.textContent = "The solver answers …";
    const news = await ask(`${path}/answer`, { turns: [...turns, text] }).finally(() => { state = "asked"; status.textContent = ""; });
    shown = news.position;
    if (!news.right || news.done) score(news.right);
    if (news.right) turns.push(text, ...(news.reply ? [news.reply.text] : []));
    state = !news.right ? "wrong" : news.done ? "solved" : "asked";
    status.textContent = { wrong: `${capital(news.name)} is not right.`, solved: "Solved.", asked: `Right. The reply is ${news.reply?.name}: your turn again.` }[state];
    tell(news.right ? told : [], news);
    draw(false, news.line);
  }

  /** Why a turn is right or wrong, below what has been told of earlier ones. */
  function tell(before, news) {
    told = [...before, ["p", {}, ["b", {}, `${capital(news.name)}: `], news.words]];
    patch(words, told);
  }

  function again() {
    turns = [];
    shown = puzzle.position;
    state = "asked";
    status.textContent = "";
    patch(words, told = []);
    draw(true);
    board.svg.focus({ preventScroll: true });
  }

  function solve() {
    return app.attempt(async () => {
      const news = await ask(`${path}/solution`);
      score(false);
      shown = puzzle.position;
      state = "told";
      status.textContent = `The solution is ${news.name}.`;
      tell([], news);
      draw(true, news.line);
    });
  }

  return { keys };
}
