// The rating of someone who answers puzzles or plays against levels: the most likely Elo after all results, and its interval.

const SCALE = Math.log(10) / 400;

/** All answers of some sets of puzzles, as `ratingOf` takes them; `triedOf` gives those of a set: [number, right]. */
export function answersOf(sets, triedOf) {
  return sets.flatMap(({ name, ratings }) => triedOf(name).map(([number, right]) => [ratings[number - 1], right]))
    .filter(([rating]) => rating !== undefined);
}

/**
 * The rating and its margin: `rating` ± `margin` is the 95% interval.
 *
 * @param results [rating of the puzzle or opponent, result from 0 to 1], of each puzzle once. Equals expect a half.
 * @param mean, spread of the normal distribution that is assumed before the first result.
 */
export function ratingOf(results, mean = 1200, spread = 400) {
  let rating = mean, precision = 0;
  for (let step = 0; step < 50; step++) {  // Newton's method: the logarithm of the probability is concave
    let slope = (mean - rating) / spread ** 2;
    precision = 1 / spread ** 2;
    for (const [opponent, result] of results) {
      const chance = 1 / (1 + Math.exp(SCALE * (opponent - rating)));
      slope += SCALE * (result - chance);
      precision += SCALE ** 2 * chance * (1 - chance);
    }
    rating += Math.max(-spread, Math.min(spread, slope / precision));
  }
  return { rating: Math.round(rating), margin: Math.round(1.96 / Math.sqrt(precision)) };
}
