// One game in one file: SGF for Go, PDN for draughts, a text of moves for any other game, as experiments/play/game_file.py has them.
//
// Read are the first game of a file, its variations, comments and marks; not positions that are set up. An illegal move ends a line.

import { Refusal } from "./refusal.js";
import { Node, plainValue, pointOf, cellsOf } from "./variations.js";
import { actionsOf, turnText } from "./views.js";

const FORMS = "SGF of Go, PDN of draughts, or moves after a first line such as 'game: connect4'";
const LINE_LENGTH = 80;
const PDN_RESULTS = ["0-1", "1-0"];  // by winner: it names White's points first
const SGF_READ = ["B", "W", "AB", "AW", "AE", "PL", "C", "SZ", "GM", "FF", "CA"];
const SGF_INFO = ["AN", "AP", "BR", "BT", "CP", "DT", "EV", "GC", "GN", "ON", "OT", "PC", "RO", "RU", "SO", "TM", "US", "WR", "WT"];

export const formOf = ({ name }) => ({ go: "sgf", draughts: "pdn" })[name] ?? "txt";

/** The game of a file: {position, black, white, result, notes, info, root}. Refuses what is none, in one line. */
export async function readFile(tab, data, name) {
  const text = new TextDecoder().decode(data).replace(/\r\n?/g, "\n");
  try {
    if (/^\s*\(\s*;/.test(text)) return await readSgf(tab, text, name);
    if (/^(\s|#[^\n]*\n)*game:/.test(text)) return await readText(tab, text, name);
    if (/^\s*(\[\s*\w+\s*"|1\.)/.test(text)) return await readPdn(tab, text, name);
  } catch (error) {
    throw error instanceof Refusal ? new Refusal(`${name}: ${error.message}`, error.status) : error;
  }
  throw new Refusal(`${name}: not a game record; one is ${FORMS}`);
}

/** The content of a game's file. @param names of black and white. */
export function textOfGame(saved, [black, white]) {
  const { position, root, info, result } = saved, { game, over, winner, action } = position, form = formOf(game);
  if (form === "sgf") return writeSgf(saved, black, white);
  if (form === "txt") {
    const lines = { game: game.spec, black, white, clock: info.TimeControl, result: over ? resultOf(position) : result };
    const header = Object.entries(lines).filter(([, value]) => value).map(([key, value]) => `${key}: ${value.split(/\s+/).join(" ")}\n`);
    return header.join("") + wrapped(wordsOf(root, ({ actions }) => [turnText(game, actions)]));
  }
  const end = over ? PDN_RESULTS[winner] ?? "1/2-1/2" : saved.late !== null ? PDN_RESULTS[1 - saved.late] : result || "*";
  const reason = action === "resign" ? "resignation" : saved.late !== null ? "time forfeit" : info.Termination;
  const tags = { Event: "?", White: white || "?", Black: black || "?", ...info, Termination: reason, Result: end, GameType: "21" };
  const header = Object.entries(tags).filter(([, value]) => value).map(([key, value]) => `[${key} "${value.replace(/[\\"]/g, "\\$&")}"]\n`);
  const words = wordsOf(root, ({ actions }, turns, begins) => (actions[0] === "resign" ? [] : [
    ...(turns % 2 === 0 || begins ? [`${Math.floor(turns / 2) + 1}${turns % 2 ? "..." : "."}`] : []), turnText(game, actions)]));
  return `${header.join("")}\n${wrapped([...words, end])}`;
}

const resultOf = ({ game: { info }, winner, action }) => (
  winner === null ? "draw" : `${info.players[winner]} wins${action === "resign" ? " by resignation" : ""}`);

/** The words of all lines of a tree: a variation stands in parentheses after the turn that it replaces. */
function wordsOf(root, turnWords) {
  const words = commentWords(root);
  const add = (node, turns, begins) => words.push(...turnWords(node, turns, begins), ...node.markup.get("NAG") ?? [], ...commentWords(node));
  const follow = (node, turns, begins) => {
    for (; node.children.length; turns++) {
      const [main, ...others] = node.children;
      add(main, turns, begins);
      for (const other of others) {
        words.push("(");
        add(other, turns, true);
        follow(other, turns + 1, false);
        words.push(")");
      }
      [node, begins] = [main, others.length > 0];
    }
  };
  follow(root, 0, true);
  return words;
}

const safe = (text, unsafe) => text.replace(unsafe, (sign) => `&#${sign.charCodeAt(0)};`);
const restored = (text) => text.replace(/&#(\d{1,6});/g, (_, code) => String.fromCodePoint(code));

function commentWords({ comment, markup }) {
  const marks = [...markup].filter(([key]) => key !== "NAG").map(([key, values]) => (
    `[%${key} ${values.map((value) => safe(value, /[{}\n\t\] ]|&(?=#\d)/g)).join(" ")}]`));
  const text = [...marks, safe(comment, /[{}\n\t]|(?<=[ \n]) |&(?=#\d)|^\[(?=%)/g)].filter(Boolean).join(" ");
  return text ? `{${text}}`.split(" ") : [];
}

function wrapped(words) {
  const lines = [""];
  for (const word of words) {
    if (lines.at(-1) && lines.at(-1).length + 1 + word.length > LINE_LENGTH) lines.push(word);
    else lines.push([lines.pop(), word].filter(Boolean).join(" "));
  }
  return `${lines.join("\n")}\n`;
}

/** Takes the words of a game one by one: turns, parentheses, comments. */
class Reader {
  constructor(position) {
    this.root = this.node = new Node(position);
    Object.assign(this, { outer: [], cut: false, cuts: 0, problem: "" });
  }

  open() {  // it replaces the last turn, or one that could not be played
    this.outer.push([this.node, this.cut]);
    [this.node, this.cut] = [this.cut ? this.node : this.node.parent ?? this.node, false];
  }

  close() { if (this.outer.length) [this.node, this.cut] = this.outer.pop(); }

  play(text) {
    if (this.cut) return;
    const { node } = this, { parent } = node;
    try {
      const actions = /^resign$/i.test(text) ? ["resign"] : actionsOf(node.position, text);
      const goesOn = parent?.position.player === node.position.player && node.position.game.joins;  // jump by jump, which is one turn
      if (goesOn && !node.children.length) parent.children.splice(parent.children.indexOf(node), 1);
      this.node = goesOn ? Object.assign(parent.add([...node.actions, ...actions]), { comment: node.comment, markup: node.markup }) : node.add(actions);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (this.outer.length) this.cuts++;
      else this.problem = `move ${node.line().length + 1}: ${error.message}; the game is read up to there`;
      this.cut = true;
    }
  }

  comment(text) {
    if (this.cut) return;
    const { node } = this;
    let rest = text.replace(/\s+/g, " ").trim();
    for (let mark; (mark = /^\[%(\w+) ([^\]]*)\]\s*/.exec(rest)); rest = rest.slice(mark[0].length)) this.mark(mark[1], mark[2].split(" ").map(restored));
    node.comment = [node.comment, restored(rest)].filter(Boolean).join(" ");
  }

  mark(key, values) { if (!this.cut) this.node.markup.set(key, [...this.node.markup.get(key) ?? [], ...values]); }

  /** The game that was read. */
  saved(name, notes, values) {
    if (this.outer.length) throw new Refusal("a variation is not closed, ')' is missing");
    for (const node of this.node.line()) node.lead();  // variations may have come before it
    const cut = this.cuts ? [`variations that end before an illegal move: ${this.cuts}`] : [];
    const lines = [...notes, ...cut, this.problem].filter(Boolean).map((note) => `${name}: ${note}`);
    return { position: this.node.position, root: this.root, black: "", white: "", result: "", info: {}, ...values, notes: lines };
  }
}

async function readText(tab, text, name) {
  const header = {}, body = text.replace(/^#[^\n]*/gm, "").replace(/^[ \t]*(game|black|white|clock|result)[ \t]*:([^\n#]*)/gm, (_, key, value) => {
    header[key] ??= value.trim();
    return "";
  });
  const reader = new Reader((await tab.game(header.game)).start());
  for (const [word, comment] of body.replace(/(\s)#[^\n]*/g, "$1").matchAll(/\{([^}]*)\}|[^\s{]+/g)) {
    if (comment !== undefined) reader.comment(comment);
    else if (word === "(") reader.open();
    else if (word === ")") reader.close();
    else reader.play(word);
  }
  const { black = "", white = "", result = "", clock } = header;
  return reader.saved(name, [], { black, white, result, info: clock ? { TimeControl: clock } : {} });
}

const PDN = new RegExp([
  /\{(?<comment>[^}]*)\}|;(?<rest>[^\n]*)|\[\s*(?<tag>\w+)\s*"(?<value>(?:[^"\\\n]|\\.)*)"\s*\]|(?<sign>[()])|(?<glyph>\$\d+|[!?]+)/,
  /(?<result>(?:1\/2-1\/2|[012]-[012]|\*)(?![^\s[{;]))|\d+\.(?:\.\.)?|(?<move>\d+(?:[xX:-]\d+)+)|\.\.\.|(?<bad>\S+)/,
].map(({ source }) => source).join("|"), "g");

async function readPdn(tab, text, name) {
  const reader = new Reader((await tab.game("draughts")).start()), tags = {};
  let result = null, games = 1;
  for (const { groups } of text.replace(/[\u2010-\u2015\u2212]/g, "-").replaceAll("½", "1/2").matchAll(PDN)) {
    const { comment = groups.rest, tag, value, sign, glyph, move, bad } = groups;
    if (tag && (result !== null || reader.root.children.length)) { games++; break; }
    if (tag) tags[tag] = value.replace(/\\(.)/g, "$1");
    else if (comment !== undefined) reader.comment(comment);
    else if (sign) sign === "(" ? reader.open() : reader.close();
    else if (glyph) reader.mark("NAG", [glyph]);
    else if (move) reader.play(move);
    else if (groups.result && !reader.outer.length) ({ result } = groups);
    else if (bad) throw new Refusal(`PDN game 1: after move ${reader.node.line().length}, '${bad.slice(0, 20)}': no move`);
  }
  const { Black, White, Result, GameType = "21", FEN, SetUp, ...info } = tags;
  if (GameType.split(",")[0].trim() !== "21") throw new Refusal(`GameType '${GameType}' is not English draughts, '21'`);
  if (FEN) throw new Refusal("the game begins with a position that is set up, which a page cannot read; `dlgo web` can");
  const said = result && result !== "*" ? result : Result ?? "", winner = PDN_RESULTS.indexOf(said), { position } = reader.node;
  if (info.Termination === "resignation" && winner === 1 - position.player) reader.play("resign");
  const notes = games > 1 ? ["the first game is read; the others are left out"] : [];
  return reader.saved(name, notes, { black: (Black ?? "").replace("?", ""), white: (White ?? "").replace("?", ""), result: said.replace("*", ""), info });
}

/** The nodes of an SGF file's first game: {properties: a Map of lists, children}. */
function parseSgf(text) {
  const top = { children: [] }, outer = [];
  let at = top, key = "", games = 0;
  for (const [, sign, name, value, bad] of text.slice(text.indexOf("(")).matchAll(/([();])|([A-Za-z]+)\s*(?=\[)|\[((?:[^\\\]]|\\[^])*)\]|(\S)/g)) {
    if (bad) throw new Refusal(`not a readable Go record: '${bad}' stands between its properties`);
    if (sign === "(" && !outer.length && games++) break;
    if (sign === "(") outer.push(at);
    else if (sign === ")") at = outer.pop() ?? top;
    else if (sign) at.children.push(at = { properties: new Map(), children: [] });
    else if (name) at.properties.set(key = name.replace(/[a-z]/g, ""), at.properties.get(key) ?? []);
    else at.properties.get(key).push(value);
  }
  if (outer.length && games < 2) throw new Refusal("not a readable Go record: it ends within a game");
  return { first: top.children[0], games };
}

async function readSgf(tab, text, name) {
  const { first, games } = parseSgf(text), one = (key) => plainValue(first.properties.get(key)?.[0] ?? "").trim();
  if ((one("GM") || "1") !== "1") throw new Refusal(`GM[${one("GM")}] is another game (Go is 1)`);
  const size = Number(one("SZ") || 19), komi = one("KM") ? Number(one("KM").replace(",", ".")) : 7.5, notes = [];
  if (!(size >= 2 && size <= 25) || Number.isNaN(komi)) throw new Refusal(`SZ[${one("SZ")}] KM[${one("KM")}] are not a size and a komi`);
  const handicap = Number(one("HA")) > 1 ? `,handicap=${one("HA")}` : "", komiPart = komi === 7.5 ? "" : `,komi=${komi}`;
  const spec = /^dlgo (go:\S+)$/m.exec(one("GC"))?.[1] ?? `go:size=${size}${komiPart}${handicap}`;
  const game = await tab.game(spec).catch((error) => {
    if (handicap || !komiPart) throw error;
    notes.push(`komi ${komi} is read as 7.5, which this page has`);
    return tab.game(`go:size=${size}`);
  });
  const start = game.start(), set = (key) => (first.properties.get(key) ?? []).flatMap((value) => cellsOf(value, game.info));
  const stones = (player) => Array.from(start.cells(), Number).flatMap((piece, cell) => (piece === player ? [cell] : [])).join();
  if (["AB", "AW"].some((key, player) => set(key).sort((a, b) => a - b).join() !== stones(player))) {
    throw new Refusal("the game begins with stones that are set up, which a page cannot read; `dlgo web` can");
  }
  if (games > 1) notes.push("the first game is read; the others are left out");
  const reader = new Reader(start);
  followSgf(reader, first);
  const info = Object.fromEntries(SGF_INFO.filter(one).map((key) => [key, one(key)])), result = one("RE");
  if (/^[BW]\+R/i.test(result) && "BW".indexOf(result[0].toUpperCase()) === 1 - reader.node.position.player) reader.play("resign");
  return reader.saved(name, notes, { black: one("PB"), white: one("PW"), result, info });
}

/** Read a node and all that follows; the reader is at the end of its main line then. */
function followSgf(reader, { properties, children }) {
  const player = ["B", "W"].findIndex((key) => properties.has(key));
  if (player >= 0) {
    const { game } = reader.node.position, [value] = properties.get("BW"[player]), cell = cellsOf(value, game.info)[0];
    if (player !== reader.node.position.player) reader.play("pass");
    reader.play(game.texts[cell ?? game.passAction] ?? value);
  }
  if (["AB", "AW", "AE"].some((key) => properties.has(key)) && reader.node.parent) reader.cut = true;
  for (const [key, values] of properties) if (![...SGF_READ, ...SGF_INFO, "KM", "PB", "PW", "RE", "HA"].includes(key)) reader.mark(key, values);
  if (!reader.cut && properties.has("C")) reader.node.say(plainValue(properties.get("C").join("\n\n")).trim());
  const [main, ...others] = children, { node, cut } = reader;
  if (main) followSgf(reader, main);
  const end = [reader.node, reader.cut];
  for (const other of others) {
    reader.outer.push(end);
    [reader.node, reader.cut] = [node, cut];
    followSgf(reader, other);
    reader.close();
  }
}

const sgfValue = (text) => text.replace(/[\]\\]/g, "\\$&");

function writeSgf({ position, root, info, result, late }, black, white) {
  const { game, over, winner, action } = position, start = Array.from(root.position.cells(), Number), { size, komi } = game.info.options;
  const by = action === "resign" ? "R" : over ? String(Math.abs(position.margin())) : "T";
  const end = late !== null ? `${"BW"[1 - late]}+T` : over ? (winner === null ? "0" : `${"BW"[winner]}+${by}`) : result;
  const note = (info.GC ?? "").replace(/\s*^dlgo go\S*$\s*/m, "\n\n").trim();
  const head = { ...info, GC: `${note}\n\ndlgo ${game.spec}`.trim(), PB: black, PW: white, RE: end };
  const setup = ["AB", "AW"].map((key, player) => [key, start.flatMap((piece, cell) => (piece === player ? [pointOf(cell, game.info)] : []))]);
  const turn = root.position.player ? "PL[W]" : "", list = (key, values) => (values.length ? key + values.map((value) => `[${value}]`).join("") : "");
  const said = ({ comment, markup }) => (comment ? `C[${sgfValue(comment)}]` : "") + [...markup].map(([key, values]) => list(key, values)).join("");
  const lines = (node) => {
    let text = "";
    while (node.children.length) {
      const [main, ...others] = node.children, tree = (child) => step(child) + lines(child);
      if (others.length) return `${text}${node.children.map((child) => `\n(${tree(child)})`).join("")}`;
      text += step(main);
      node = main;
    }
    return text;
  };
  const step = (node) => {
    const [move] = node.actions, cell = game.cellOf[move] ?? null;  // a resignation is in the result
    return move === "resign" ? said(node) : `\n;${"BW"[node.parent.position.player]}[${cell === null ? "" : pointOf(cell, game.info)}]${said(node)}`;
  };
  return `(;FF[4]CA[UTF-8]GM[1]SZ[${size}]KM[${komi}]${Object.entries(head).map(([key, value]) => (value ? `${key}[${sgfValue(value)}]` : "")).join("")}${
    setup.map(([key, values]) => list(key, values)).join("")}${turn}${said(root)}${lines(root)})\n`;
}
