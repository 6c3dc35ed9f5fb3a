// Slices of a search: as many steps as take some milliseconds, as in engines/clock.py.

const SLICE = 8;  // milliseconds

/**
 * Run a search in slices; yields after each.
 *
 * @param most steps; Infinity: any number. @param wall seconds, or undefined.
 * @param step takes the number of steps that it may do at most; returns those done so far and whether the search is complete.
 */
export function* slices(most, wall, first, step) {
  const end = performance.now() + 1000 * (wall ?? Infinity);
  let stop = Math.min(most, first), spent = 0;  // milliseconds, without pauses
  for (;;) {
    const began = performance.now(), [done, complete] = step(stop), now = performance.now();
    if (complete || done >= most || now >= end - 10 * (wall ?? 0)) return;
    spent += now - began;
    yield;
    const speed = done / Math.max(spent, 0.001);
    stop = Math.min(most, done + Math.max(1, Math.floor(first / 5), Math.floor(speed * Math.min(SLICE, end - performance.now()))));
  }
}
