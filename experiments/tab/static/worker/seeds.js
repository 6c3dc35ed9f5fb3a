// Seeds from any printable parts, as dlgo/rng.py derives them: BLAKE2b (RFC 7693) with 8 bytes, without the last bit.

const START = [
  0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n,
];
const ORDERS = [
  "0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "905724afe1bc683d",
  "2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0",
];
// The words that are mixed, four at a time.
const MIXED = ["048c", "159d", "26ae", "37bf", "05af", "16bc", "278d", "349e"].map((digits) => [...digits].map((digit) => parseInt(digit, 16)));

const word = (n) => BigInt.asUintN(64, n), turn = (n, bits) => word(n >> bits | n << 64n - bits);

export function deriveSeed(...parts) {
  const text = new TextEncoder().encode(parts.join("\x1f")), state = [START[0] ^ 0x01010008n, ...START.slice(1)];
  for (let begin = 0; begin === 0 || begin < text.length; begin += 128) {
    const block = new Uint8Array(128), end = Math.min(begin + 128, text.length);
    block.set(text.subarray(begin, end));
    const words = new BigUint64Array(block.buffer), mix = [...state, ...START];
    mix[12] ^= BigInt(end);
    if (end === text.length) mix[14] = word(~mix[14]);
    for (let round = 0; round < 12; round++) {
      const order = [...ORDERS[round % 10]].map((digit) => words[parseInt(digit, 16)]);
      for (const [a, b, c, d] of MIXED) {
        for (const [first, second] of [[32n, 24n], [16n, 63n]]) {
          mix[a] = word(mix[a] + mix[b] + order.shift());
          mix[d] = turn(mix[d] ^ mix[a], first);
          mix[c] = word(mix[c] + mix[d]);
          mix[b] = turn(mix[b] ^ mix[c], second);
        }
      }
    }
    state.forEach((value, i) => { state[i] = value ^ mix[i] ^ mix[i + 8]; });
  }
  return new DataView(new BigUint64Array(state).buffer).getBigUint64(0) >> 1n;  // its bytes, the first in front
}
