// Ratings of the games of one match or tournament: the model, the fit and the intervals of reports/ratings.py, to which
// docs/ratings.md has the formulas. Entrants are numbers here, in the order of their names.

const Z95 = 1.959963984540054, ELO = 400 / Math.LN10;
const RESULTS = [1, 0.5, 0];

const range = (n) => [...Array(n).keys()];
const sum = (values) => values.reduce((total, value) => total + value, 0);
const dot = (a, b) => a.reduce((total, value, i) => total + value * b[i], 0);
const listing = (names) => names.slice(0, 3).join(", ") + (names.length > 3 ? ` and ${names.length - 3} more` : "");
const bounds = (value, variance) => [-1, 0, 1].map((side) => value + side * Z95 * Math.sqrt(Math.max(variance, 0)));

/** The table of ratings. @param games as `match.js` gives them: rows of a report's `games.csv`. Equal games are rated once. */
export function standings(games) {
  const rated = new Set(new Map(games.map((game, i) => (
    [game.moves ? [game.first, game.second, game.moves, game.result].join("\n") : i, game]))).values());
  const table = fit([...rated]), sides = games.flatMap((game) => [["first", game.result], ["second", 1 - game.result]].map(([side, score]) => ({
    entrant: game[side], score, moves: game[`${side}_moves`] ?? 0, mean: game[`${side}_wall_ms`] ?? 0,
    counts: rated.has(game) && game.first !== game.second })));
  for (const row of table.rows) {
    const own = sides.filter(({ entrant }) => entrant === row.entrant), moves = sum(own.map((side) => side.moves));
    const scores = own.filter(({ counts }) => counts).map(({ score }) => score);
    const [wins, draws, losses] = RESULTS.map((result) => scores.filter((score) => score === result).length);
    Object.assign(row, { games: scores.length, wins, draws, losses, score: scores.length ? sum(scores) / scores.length : null,
      mean_wall_ms: moves ? sum(own.map((side) => side.moves * side.mean)) / moves : null });
  }
  return { ...table, games: rated.size, repeated: games.length - rated.size };
}

/** @returns {rows: best first, zero: in words, firstMove and draw (nu): [value, low95, high95] or null, remarks}. */
function fit(games) {
  const names = [...new Set(games.flatMap(({ first, second }) => [first, second]))].sort();
  const places = new Map(names.map((name, i) => [name, i]));
  const played = games.map(({ first, second, result }) => [places.get(first), places.get(second), result]);
  const links = connections(names.length, played), rows = [];
  for (const [first, second, result] of played) {
    let row = rows.find((one) => one.first === first && one.second === second);
    if (!row) rows.push(row = { first, second, moved: 1, counts: [0, 0, 0] });
    row.counts[RESULTS.indexOf(result)]++;
  }
  const hasMove = !imitatesFirstMove(names.length, rows), hasDraws = rows.some(({ counts }) => counts[1]);
  const model = new Model(names.length, hasMove, hasDraws, [...rows, ...virtual(links.bridges, 1)]);
  const unbounded = !model.isBounded();
  if (unbounded) {
    const byWins = connections(names.length, played.filter(([, , result]) => result !== 0.5)).bridges;
    model.add(virtual(byWins, 1 / Math.max(1, byWins.length)));
    if (!model.isBounded()) model.add([{ first: 0, second: 0, moved: 1, counts: [0.5, hasDraws ? 0.5 : 0, 0.5] }]);
  }
  const leaders = links.groups.map(([leader]) => leader);
  const parameters = model.maximise(leaders), covariance = model.covariance(parameters, leaders);
  const last = model.size - 1, nu = hasDraws ? Math.exp(parameters[last]) : 0, share = nu / (2 + nu);
  // Elo = 2 / (2 + nu) * 400 log10(strength): its value, and its variance by the derivatives of all parameters.
  const elo = (weights) => {
    const value = dot(weights, parameters), slopes = weights.map((weight) => (1 - share) * ELO * weight);
    if (hasDraws) slopes[last] -= share * (1 - share) * ELO * value;
    return bounds((1 - share) * ELO * value, dot(slopes, covariance.map((line) => dot(line, slopes))));
  };
  const notes = links.notes(names), zeros = links.groups.map((members) => {
    const core = members.filter((i) => links.core[i]);
    return core.length ? core : members;
  });
  const ratings = links.groups.flatMap((members, group) => members.map((i) => {
    const [low95, rating, high95] = elo(range(model.size).map((j) => (i === j) - (zeros[group].includes(j) ? 1 / zeros[group].length : 0)));
    return { entrant: names[i], rating, low95, high95, group: group + 1, note: notes[i] };
  }));
  const rounded = ({ rating }) => Math.round(1e6 * rating);  // equals stand by name
  ratings.sort((a, b) => rounded(b) - rounded(a) || (a.entrant < b.entrant ? -1 : 1));
  const remarks = [
    links.groups.length > 1 && `No game links these groups, and each has its own zero (${links.groups.map((members, i) => (
      `group ${i + 1}: ${members.map((member) => names[member]).join(", ")}`)).join("; ")}). Ratings of different groups cannot be compared.`,
    !hasMove && "No first-move advantage: the first mover varied too little to tell it from strength.",
    !hasDraws && "No game was drawn, so the model has no draws.",
    unbounded && "The games alone do not bound the first-move advantage or the share of draws; at most 5/2 virtual games were added for them.",
  ].filter(Boolean);
  const atZero = zeros.flat().length;
  return {
    zero: `0 is the mean of ${atZero === names.length ? "the field" : `${atZero} of the ${names.length} entrants`}`,
    rows: ratings, remarks, firstMove: hasMove ? elo(range(model.size).map((j) => Number(j === names.length))) : null,
    draw: hasDraws ? bounds(parameters[last], covariance[last][last]).map(Math.exp) : null,
  };
}

/** Whether strengths alone can give every first mover the same advantage. */
function imitatesFirstMove(size, rows) {
  const levels = [];
  const visit = (i, level) => {
    if (i in levels) return;
    levels[i] = level;
    for (const { first, second } of rows) {
      if (first === i) visit(second, level - 1);
      if (second === i) visit(first, level + 1);
    }
  };
  range(size).forEach((i) => visit(i, 0));
  return rows.every(({ first, second }) => levels[first] - levels[second] === 1);
}

/** Virtual games across each bridge, half won and half lost, where moving first does not count. */
const virtual = (bridges, games) => bridges.flatMap(({ pairs }) => pairs.map(({ first, second, share }) => (
  { first, second, moved: 0, counts: [games / 2 * share, 0, games / 2 * share] })));

/** Groups, parts and bridges, as reports/connections.py explains them. @param games [first, second, result] each. */
function connections(size, games) {
  const points = range(size).map(() => Array(size).fill(0));
  for (const [first, second, result] of games) {
    if (first === second) continue;
    points[first][second] += result;
    points[second][first] += 1 - result;
  }
  const reaches = closure(size, (i, j) => points[i][j] > 0), meets = closure(size, (i, j) => points[i][j] + points[j][i] > 0);
  const classes = (alike) => range(size).filter((i) => range(i).every((j) => !alike(i, j)))
    .map((i) => range(size).filter((j) => alike(i, j))).sort((a, b) => b.length - a.length);
  const groups = classes((i, j) => meets[i][j]), parts = classes((i, j) => reaches[i][j] && reaches[j][i]);
  const bridges = parts.flatMap((above) => parts.flatMap((below) => {
    const pairs = above === below ? [] : above.flatMap((first) => below.filter((second) => points[first][second])
      .map((second) => ({ first, second, share: points[first][second] })));
    const between = range(size).some((k) => reaches[above[0]][k] && reaches[k][below[0]] && !above.includes(k) && !below.includes(k));
    if (!pairs.length || between) return [];
    const total = sum(pairs.map(({ share }) => share));
    return [{ above, below, pairs: pairs.map((pair) => ({ ...pair, share: pair.share / total })) }];
  }));
  const core = range(size).map((i) => {
    const [largest, next] = parts.filter((part) => meets[i][part[0]]);
    return largest.includes(i) && largest.length > (next?.length ?? 0);
  });
  const notes = (names) => range(size).map((i) => {
    const part = parts.find((members) => members.includes(i)), friends = listing(part.filter((j) => j !== i).map((j) => names[j]));
    const [above, below] = [["below", "above"], ["above", "below"]].map(([own, end]) => (
      listing(bridges.filter((bridge) => bridge[own] === part).flatMap((bridge) => bridge[end]).sort((a, b) => a - b).map((j) => names[j]))));
    const facts = [above && `never took a point from ${above}`, below && `never lost a point to ${below}`].filter(Boolean).join(" and ");
    const note = !friends && !above ? "won every game: the rating is a lower bound set by the prior"
      : !friends && !below ? "lost every game: the rating is an upper bound set by the prior"
        : `${friends && `with ${friends}, `}${facts}: the gap is set by the prior`;
    const group = groups.findIndex((members) => members.includes(i)) + 1;
    return [!core[i] && note, groups.length > 1 && `group ${group} of ${groups.length}, which never met: compare ratings within a group only`]
      .filter(Boolean).join("; ");
  });
  return { groups, bridges, core, notes };
}

/** Which numbers lead to which, in any number of steps. */
function closure(size, leads) {
  const reached = range(size).map((i) => range(size).map((j) => i === j || leads(i, j)));
  for (const k of range(size)) for (const i of range(size)) for (const j of range(size)) reached[i][j] ||= reached[i][k] && reached[k][j];
  return reached;
}

/**
 * Davidson's model with a first-move advantage: a result of a game has the probability exp(weights * parameters), divided by
 * the sum over all results. Parameters are ln of the strengths, ln gamma and ln nu, the latter two if they are estimated.
 */
class Model {
  constructor(entrants, hasMove, hasDraws, rows) {
    Object.assign(this, { entrants, hasMove, hasDraws, rows: [], size: entrants + hasMove + hasDraws });
    this.add(rows);
  }

  /** @param rows { first, second, moved: 1 where moving first counts, counts: how often the first won, drew, lost }. */
  add(rows) {
    this.rows.push(...rows.map(({ first, second, moved, counts: [wins, draws, losses] }) => {
      const win = Array(this.size).fill(0), draw = [...win];
      win[first] += 0.5;
      win[second] -= 0.5;
      if (this.hasMove) win[this.entrants] = moved / 2;
      if (this.hasDraws) draw[this.size - 1] = 1;
      const loss = win.map((weight) => -weight);
      return [[win, wins], ...(this.hasDraws ? [[draw, draws]] : []), [loss, losses]].map(([weights, count]) => ({ weights, count }));
    }));
  }

  /** The log-likelihood with its gradient and information (minus its Hessian). */
  likelihood(parameters) {
    const gradient = Array(this.size).fill(0), information = gradient.map(() => [...gradient]);
    let value = 0;
    for (const results of this.rows) {
      const logs = results.map(({ weights }) => dot(weights, parameters)), top = Math.max(...logs);
      const total = sum(logs.map((log) => Math.exp(log - top))), games = sum(results.map(({ count }) => count));
      const shares = logs.map((log) => Math.exp(log - top) / total);
      const mean = gradient.map((_, i) => sum(results.map(({ weights }, k) => shares[k] * weights[i])));
      results.forEach(({ weights, count }, k) => {
        value += count * (logs[k] - top - Math.log(total));
        const surplus = weights.map((weight, i) => weight - mean[i]);
        for (const [i, more] of surplus.entries()) {
          gradient[i] += count * more;
          if (more) for (const [j, other] of surplus.entries()) information[i][j] += games * shares[k] * more * other;
        }
      });
    }
    return { value, gradient, information };
  }

  /** Newton's method with step halving; the strengths of `fixed` stay 0. */
  maximise(fixed) {
    let parameters = Array(this.size).fill(0);
    for (let round = 0; round < 200; round++) {
      const { value, gradient } = this.likelihood(parameters);
      const step = this.covariance(parameters, fixed).map((line) => dot(line, gradient)), promise = dot(gradient, step);
      const moved = (size) => parameters.map((parameter, i) => parameter + size * step[i]), scale = Math.max(1, Math.abs(value));
      if (promise < 1e-16 * scale) return moved(1);
      let size = 1;  // near the top the gain drowns in rounding; there full steps are right
      while (this.likelihood(moved(size)).value - value < -1e-12 * scale + 1e-4 * size * promise) size /= 2;
      parameters = moved(size);
    }
    throw new Error("ratings: Newton's method did not converge; please report this with the games");
  }

  /** Inverse of the information, where the strengths of `fixed` are known to be 0. */
  covariance(parameters, fixed) {
    const { information } = this.likelihood(parameters), free = range(this.size).filter((i) => !fixed.includes(i));
    const inverted = inverse(free.map((i) => free.map((j) => information[i][j])));
    return range(this.size).map((i) => range(this.size).map((j) => inverted[free.indexOf(i)]?.[free.indexOf(j)] ?? 0));
  }

  /**
   * Whether the likelihood has a maximum: whether no direction makes an observed result likelier, compared with another
   * result of the same game, without making another one less likely (Albert & Anderson, Biometrika 71 (1984) 1-10). By
   * Stiemke's lemma this is so if and only if all these comparisons add up to 0 with some positive weights.
   */
  isBounded() {
    return canBalance(this.rows.flatMap((results) => results.filter(({ count }) => count).flatMap((observed) => (
      results.filter((one) => one !== observed).map(({ weights }) => observed.weights.map((weight, i) => weight - weights[i]))))));
  }
}

/** Whether vectors add up to 0 with some positive weights: 1 + z, where z >= 0 solves equations (simplex, first phase). */
function canBalance(vectors) {
  const n = vectors.length, tiny = 1e-9;
  const lines = vectors[0].map((_, i) => {
    const line = vectors.map((vector) => vector[i]), right = -sum(line);
    return [...line, right].map((value) => (right < 0 ? -value : value));
  });
  const missing = range(n + 1).map((j) => sum(lines.map((line) => line[j])));  // its last is how far from 0 they are
  const basis = lines.map((_, i) => n + i);
  for (;;) {
    const column = missing.findIndex((value, j) => j < n && value > tiny);
    if (column < 0) return missing[n] < 1e-6;
    const ratio = (i) => lines[i][n] / lines[i][column];
    const row = range(lines.length).filter((i) => lines[i][column] > tiny).reduce((a, b) => {
      const gap = ratio(b) - ratio(a);
      return gap < -tiny || (gap <= tiny && basis[b] < basis[a]) ? b : a;  // Bland's rule: no basis comes again
    });
    eliminate([...lines, missing], row, column);
    basis[row] = column;
  }
}

/** Make a column 0 in all lines but one, where it becomes 1. */
function eliminate(lines, row, column) {
  const pivot = lines[row][column];
  lines[row].forEach((value, j, line) => { line[j] = value / pivot; });
  for (const line of lines) {
    const factor = line === lines[row] ? 0 : line[column];
    if (factor) line.forEach((value, j) => { line[j] = value - factor * lines[row][j]; });
  }
}

function inverse(matrix) {
  const n = matrix.length, lines = matrix.map((line, i) => [...line, ...range(n).map((j) => Number(i === j))]);
  for (const i of range(n)) {
    const best = range(n).slice(i).reduce((a, b) => (Math.abs(lines[b][i]) > Math.abs(lines[a][i]) ? b : a));
    [lines[i], lines[best]] = [lines[best], lines[i]];
    eliminate(lines, i, i);
  }
  return lines.map((line) => line.slice(n));
}
