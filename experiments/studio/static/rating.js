// The rating of someone who answers puzzles: the most likely Elo after all answers, and its interval.

const SCALE = Math.log(10) / 400;
const MEAN = 1200, SPREAD = 400;  // what is known before the first answer: a normal distribution

/** All answers of some sets of puzzles, as `ratingOf` takes them; `triedOf` gives those of a set: [number, right]. */
export function answersOf(sets, triedOf) {
  return sets.flatMap(({ name, ratings }) => triedOf(name).map(([number, right]) => [ratings[number - 1], right]))
    .filter(([rating]) => rating !== undefined);
}

/**
 * The rating and its margin: `rating` ± `margin` is the 95% interval.
 *
 * @param answers [rating of the puzzle, whether the answer was right], of each puzzle once. Whoever has the rating of a
 *   puzzle solves it half of the time.
 */
export function ratingOf(answers) {
  let rating = MEAN, precision = 0;
  for (let step = 0; step < 50; step++) {  // Newton's method: the logarithm of the probability is concave
    let slope = (MEAN - rating) / SPREAD ** 2;
    precision = 1 / SPREAD ** 2;
    for (const [puzzle, right] of answers) {
      const chance = 1 / (1 + Math.exp(SCALE * (puzzle - rating)));
      slope += SCALE * (right - chance);
      precision += SCALE ** 2 * chance * (1 - chance);
    }
    rating += Math.max(-SPREAD, Math.min(SPREAD, slope / precision));
  }
  return { rating: Math.round(rating), margin: Math.round(1.96 / Math.sqrt(precision)) };
}
