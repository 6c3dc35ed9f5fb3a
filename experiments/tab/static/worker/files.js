// One game in one file: SGF for Go, PDN for draughts, a text of moves for any other, as experiments/play/game_file.py has them.
//
// A page reads the first game of a file with its variations, comments and marks. An illegal move ends its line.

import { Refusal } from "./refusal.js";
import { cellsOf, Node, plainValue, pointOf } from "./variations.js";
import { actionsOf, turnText } from "./views.js";

const FORMS = "SGF of Go, PDN of draughts, or moves after a first line such as 'game: connect4'";
const SET_UP = "it begins with a position that is set up, which a page cannot read; `dlgo web` can";
const LINE_LENGTH = 80;
const PDN_RESULTS = ["0-1", "1-0"];  // by winner: it names White's points first
const SGF_INFO = ["AN", "BR", "BT", "CP", "DT", "EV", "GC", "GN", "ON", "OT", "PC", "RO", "RU", "SO", "TM", "US", "WR", "WT"];
// Properties that become fields, or that the writer makes; others are marks of a node.
const SGF_READ = [...SGF_INFO, "B", "W", "AB", "AW", "AE", "PL", "C", "SZ", "GM", "FF", "CA", "AP", "KM", "HA", "PB", "PW", "RE"];

export const formOf = ({ name }) => ({ go: "sgf", draughts: "pdn" })[name] ?? "txt";

/** The game of a file: {position, black, white, result, notes, info, root}. Refuses what is none, in one line. */
export async function readFile(tab, data, name) {
  const text = new TextDecoder().decode(data).replace(/\r\n?/g, "\n");
  const forms = [[/^\s*\(\s*;/, readSgf], [/^(\s|#.*\n)*game:/, readText], [/^\s*(\[\s*\w+\s*"|1\.)/, readPdn]];
  const read = forms.find(([start]) => start.test(text))?.[1];
  if (!read) throw new Refusal(`${name}: not a game record; one is ${FORMS}`);
  const notes = [];
  try {
    const { reader, ...values } = await read(tab, text, notes), { node, root, cuts, problem } = reader;
    if (cuts) notes.push(`variations that end before an illegal move: ${cuts}`);
    if (problem) notes.push(`${problem}; the game is read up to there`);
    const named = notes.map((note) => `${name}: ${note}`);
    return { black: "", white: "", result: "", info: {}, ...values, position: node.position, root, notes: named };
  } catch (error) {
    throw error instanceof Refusal ? new Refusal(`${name}: ${error.message}`, error.status) : error;
  }
}

/** The content of a game's file. @param names of black and white. */
export function textOfGame(saved, names) {
  return { sgf: sgfOf, pdn: pdnOf, txt: movesOf }[formOf(saved.position.game)](saved, ...names);
}

/** A line for each value that is known. */
const headerOf = (values, line) => Object.entries(values).filter(([, value]) => value).map(([key, value]) => line(key, value)).join("");

function movesOf({ position: { game, over, winner }, root, info, result }, black, white) {
  const end = over ? (winner === null ? "draw" : `${game.info.players[winner]} wins`) : result;
  const header = { game: game.spec, black, white, clock: info.TimeControl, result: end };
  const words = wordsOf(root, ({ actions }) => [turnText(game, actions)]);
  return headerOf(header, (key, value) => `${key}: ${value.replace(/\s+/g, " ")}\n`) + wrapped(words);
}

function pdnOf({ position: { game, over, winner, action }, root, info, result, late }, black, white) {
  const end = late !== null ? PDN_RESULTS[1 - late] : over ? PDN_RESULTS[winner] ?? "1/2-1/2" : result || "*";
  const reason = late !== null ? "time forfeit" : action === "resign" ? "resignation" : null;
  const players = { White: white || "?", Black: black || "?" };
  const tags = { Event: "?", ...players, ...info, Termination: reason, Result: end, GameType: "21" };
  const words = wordsOf(root, ({ actions }, turns, begins) => {
    if (actions[0] === "resign") return [];  // it is in the result
    const number = begins || turns % 2 === 0 ? [`${Math.floor(turns / 2) + 1}.${turns % 2 ? ".." : ""}`] : [];
    return [...number, turnText(game, actions)];
  });
  return `${headerOf(tags, (key, value) => `[${key} "${value.replace(/[\\"]/g, "\\$&")}"]\n`)}\n${wrapped([...words, end])}`;
}

/** The words of all lines of a tree: a variation stands in parentheses after the turn that it replaces. */
function wordsOf(root, turnWords) {
  const words = commentWords(root), add = (...more) => words.push(...turnWords(...more), ...commentWords(more[0]));
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

/** Signs that cannot stand in braces are written as numbers. */
const coded = (text, signs) => text.replace(signs, (sign) => `&#${sign.codePointAt(0)};`);
const decoded = (text) => text.replace(/&#(\d{1,6});/g, (_, code) => String.fromCodePoint(code));

/** What is said of a node, in braces: marks come first, under their names in SGF. */
function commentWords({ comment, markup }) {
  const valueOf = (value) => coded(value, /[{}\s\]]|&(?=#\d)/g);
  const marks = [...markup].map(([key, values]) => `[%${key} ${values.map(valueOf).join(" ")}]`);
  const text = [...marks, coded(comment, /[{}\n\t]|(?<=[ \n]) |&(?=#\d)|^\[(?=%)/g)].filter(Boolean).join(" ");
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

/** Takes the turns, comments and marks of a game one by one; `node` is the last of the line that is being read. */
class Reader {
  constructor(position) {
    this.root = this.node = new Node(position);
    Object.assign(this, { outer: [], cut: false, cuts: 0, problem: "" });  // cut: at an illegal move of this line
  }

  /** Read a variation next; it replaces the last turn, or one that could not be played. */
  open(node = this.cut ? this.node : this.node.parent ?? this.node, cut = false) {
    this.outer.push([this.node, this.cut]);
    [this.node, this.cut] = [node, cut];
  }

  close() { [this.node, this.cut] = this.outer.pop() ?? [this.node, this.cut]; }

  play(text) {
    if (this.cut) return;
    try {
      this.node = this.node.add(/^resign$/i.test(text) ? ["resign"] : actionsOf(this.node.position, text));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (this.outer.length) this.cuts++;
      else this.problem = `move ${this.node.line().length + 1}: ${error.message}`;
      this.cut = true;
    }
  }

  comment(text) {
    let rest = text.replace(/\s+/g, " ").trim();
    for (let mark; (mark = /^\[%(\w+) ([^\]]*)\] ?/.exec(rest)); rest = rest.slice(mark[0].length)) {
      this.mark(mark[1], mark[2].split(" ").map(decoded));
    }
    if (!this.cut) this.node.say(decoded(rest));
  }

  mark(key, values) { if (!this.cut) this.node.markup.set(key, values); }

  /** Read moves with comments in braces and variations in parentheses. */
  readWords(text) {
    for (const [word, comment] of text.matchAll(/\{([^}]*)\}|[()]|[^\s{}()]+/g)) {
      if (comment !== undefined) this.comment(comment);
      else if (word === "(") this.open();
      else if (word === ")") this.close();
      else this.play(word);
    }
    if (this.outer.length) throw new Refusal("a variation is not closed, ')' is missing");
    return this;
  }
}

async function readText(tab, text) {
  const header = {}, moves = text.replace(/^[ \t]*(game|black|white|clock|result)[ \t]*:([^\n#]*)/gm, (_, key, value) => {
    header[key] ??= value.trim();
    return "";
  }).replace(/(^|\s)#.*/g, "");
  const { game, clock, ...values } = header, reader = new Reader((await tab.game(game)).start());
  return { ...values, info: clock ? { TimeControl: clock } : {}, reader: reader.readWords(moves) };
}

async function readPdn(tab, text, notes) {
  const [, header, rest] = /^((?:\s*\[\s*\w+\s*"(?:[^"\\\n]|\\.)*"\s*\])*)([^]*)$/.exec(text);
  const found = [...header.matchAll(/\[\s*(\w+)\s*"((?:[^"\\]|\\.)*)"/g)];
  const tags = Object.fromEntries(found.map(([, key, value]) => [key, plainValue(value)]));
  const { Black = "", White = "", Result = "", GameType = "21", FEN, SetUp: _, ...info } = tags;
  if (!/^21\b/.test(GameType)) throw new Refusal(`GameType '${GameType}' is not English draughts ('21'); other kinds, such as international draughts, have other rules`);
  if (FEN) throw new Refusal(SET_UP);
  // Numbers of moves and glyphs are left out; a result, or the tags of another game, ends the game.
  const end = /(?<=\s)(?:1-0|0-1|1\/2-1\/2|\*)(?=\s|$)|\n\s*\[\s*\w+\s*"/;
  const [moves, ...others] = rest.replace(/[\u2010-\u2015\u2212]/g, "-").split(end);
  if (others.some((other) => /\w/.test(other))) notes.push("the first game is read; the others are left out");
  const clean = moves.replace(/(\{[^}]*\})|\d+\.(\.\.)?|\$\d+|[!?]+/g, (_, comment = " ") => comment);
  const reader = new Reader((await tab.game("draughts")).start()).readWords(clean);
  const resigned = info.Termination === "resignation" && PDN_RESULTS.indexOf(Result) === 1 - reader.node.position.player;
  if (resigned) reader.play("resign");
  return { black: Black.replace("?", ""), white: White.replace("?", ""), result: Result.replace("*", ""), info, reader };
}

/** The root of an SGF file's first game, {properties: a Map of lists of texts, children}, and how many games there are. */
function parseSgf(text) {
  const top = { children: [] }, outer = [];
  let at = top, key = "", games = 0;
  for (const [, sign, name, value] of text.matchAll(/([();])|([A-Za-z]+)\s*(?=\[)|\[((?:[^\\\]]|\\[^])*)\]/g)) {
    if (sign === "(" && !outer.length) games++;
    if (sign === "(") outer.push(at);
    else if (sign === ")") at = outer.pop() ?? top;
    else if (sign) at.children.push(at = { properties: new Map(), children: [] });
    else if (name) at.properties.set(key = name.replace(/[a-z]/g, ""), []);
    else at.properties?.get(key).push(value);
  }
  if (outer.length || !top.children.length) throw new Refusal("not a readable Go record: it ends within a game");
  return [top.children[0], games];
}

async function readSgf(tab, text, notes) {
  const [first, games] = parseSgf(text), valueOf = (key) => plainValue(first.properties.get(key)?.[0] ?? "").trim();
  const size = valueOf("SZ") || "19", komi = valueOf("KM") || "7.5", own = /^dlgo (go:\S+)$/m.exec(valueOf("GC"))?.[1];
  if ((valueOf("GM") || "1") !== "1") throw new Refusal(`GM[${valueOf("GM")}] is another game (Go is 1)`);
  if (!/^\d+$/.test(size) || Number.isNaN(Number(komi))) throw new Refusal(`SZ[${size}]KM[${komi}] are not a size and a komi`);
  const spec = own ?? (Number(komi) === 7.5 ? `go:size=${size}` : `go:size=${size},komi=${Number(komi)}`);
  const offered = spec in tab.setup.parts ? spec : `go:size=${size}`;
  if (offered !== spec) notes.push(`${spec} is not part of this page; the game is read as ${offered}`);
  const start = (await tab.game(offered)).start(), { game } = start, cells = start.cells();
  for (const [player, key] of ["AB", "AW"].entries()) {
    const stones = (first.properties.get(key) ?? []).flatMap((value) => cellsOf(value, game.info));
    if (cells.some((piece, cell) => (piece === player) !== stones.includes(cell))) throw new Refusal(SET_UP);
  }
  if (games > 1) notes.push("the first game is read; the others are left out");
  const reader = new Reader(start), result = valueOf("RE");
  const loser = ["W", "B"].indexOf(/^([BW])\+R/i.exec(result)?.[1].toUpperCase());
  followSgf(reader, first);
  if (loser === reader.node.position.player) reader.play("resign");
  const info = Object.fromEntries(SGF_INFO.filter(valueOf).map((key) => [key, valueOf(key)]));
  return { black: valueOf("PB"), white: valueOf("PW"), result, info, reader };
}

/** Read a node and all that follows; the reader is at the end of its main line then. */
function followSgf(reader, first) {
  const branches = [];
  for (let at = first; at; [at] = at.children) {
    readSgfNode(reader, at.properties);
    branches.push(...at.children.slice(1).map((variation) => ({ variation, node: reader.node, cut: reader.cut })));
  }
  for (const { variation, node, cut } of branches) {
    reader.open(node, cut);
    followSgf(reader, variation);
    reader.close();
  }
}

function readSgfNode(reader, properties) {
  const { position } = reader.node, { game } = position, player = ["B", "W"].findIndex((key) => properties.has(key));
  if (player >= 0) {
    const [value] = properties.get("BW"[player]), [cell] = cellsOf(value, game.info);
    if (player !== position.player) reader.play("pass");
    reader.play(game.texts[cell === undefined ? game.passAction : game.cellOf.indexOf(cell)]);
  }
  for (const [key, values] of properties) if (!SGF_READ.includes(key)) reader.mark(key, values);
  if (!reader.cut) reader.node.say(plainValue((properties.get("C") ?? []).join("\n\n")).trim());
}

const sgfValue = (text) => text.replace(/[\]\\]/g, "\\$&");
const property = (key, values) => (values.length ? key + values.map((value) => `[${value}]`).join("") : "");

function sgfOf({ position, root, info, result, late }, black, white) {
  const { game, over, winner, action } = position, { options, ...board } = game.info, start = root.position;
  const by = late !== null ? "T" : action === "resign" ? "R" : over ? String(Math.abs(position.margin())) : "";
  const won = late !== null ? 1 - late : winner, end = by ? (won === null ? "0" : `${"BW"[won]}+${by}`) : result;
  const note = (info.GC ?? "").replace(/\s*^dlgo go\S*$\s*/m, "\n\n").trim();
  const texts = { ...info, GC: `${note}\n\ndlgo ${game.spec}`.trim(), PB: black, PW: white, RE: end };
  const stones = (player) => start.cells().flatMap((piece, cell) => (piece === player ? [pointOf(cell, board)] : []));
  const said = ({ comment, markup }) => (
    property("C", comment ? [sgfValue(comment)] : []) + [...markup].map(([key, values]) => property(key, values)).join(""));
  const written = (node) => {
    const cell = game.cellOf[node.actions[0]] ?? null, place = cell === null ? "" : pointOf(cell, board);
    const resigned = node.actions[0] === "resign";  // it is in the result
    return (resigned ? "" : `\n;${"BW"[node.parent.position.player]}[${place}]`) + said(node);
  };
  const following = (node) => {
    let line = "";
    for (; node.children.length === 1; [node] = node.children) line += written(node.children[0]);
    return line + node.children.map((child) => `\n(${written(child)}${following(child)})`).join("");
  };
  const head = Object.entries(texts).map(([key, text]) => property(key, text ? [sgfValue(text)] : [])).join("");
  const setup = property("AB", stones(0)) + property("AW", stones(1)) + (start.player ? "PL[W]" : "");
  return `(;FF[4]CA[UTF-8]GM[1]SZ[${options.size}]KM[${options.komi}]${head}${setup}${said(root)}${following(root)})\n`;
}
