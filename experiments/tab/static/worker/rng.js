// Random numbers as in dlgo/rng.py: SplitMix64.

const word = (n) => BigInt.asUintN(64, n);

export class Rng {
  constructor(seed) { this.state = word(BigInt(seed)); }

  next() {
    this.state = word(this.state + 0x9E3779B97F4A7C15n);
    let z = this.state;
    z = word((z ^ (z >> 30n)) * 0xBF58476D1CE4E5B9n);
    z = word((z ^ (z >> 27n)) * 0x94D049BB133111EBn);
    return z ^ (z >> 31n);
  }

  /** A whole number from 0 to n - 1. */
  below(n) { return Number(((this.next() >> 32n) * BigInt(n)) >> 32n); }

  /** A number in [0, 1). */
  uniform() { return Number(this.next() >> 11n) / 2 ** 53; }
}
