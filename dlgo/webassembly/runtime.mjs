// Loads a module of dlgo/webassembly with its memory and calls its functions: in node, a page or a worker.

const PAGE = 65536;
const ARRAYS = {
  bool: Uint8Array, int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array, int32: Int32Array,
  uint32: Uint32Array, int64: BigInt64Array, uint64: BigUint64Array, float32: Float32Array, float64: Float64Array,
};

/** What C's library and Numba offer to machine code. A name of C with an f at its end is the function of float32. */
function provide(name, memory) {
  const functions = {
    __proto__: Math,
    memory,
    fmod: (x, y) => x % y,
    // The optimizer finds loops that do what these do. Their sizes have 64 bits.
    strlen: (text) => BigInt(new Uint8Array(memory.buffer, text).indexOf(0)),
    bcmp: (a, b, size) => compare(new Uint8Array(memory.buffer), a, b, Number(size)),
    memcmp: (a, b, size) => compare(new Uint8Array(memory.buffer), a, b, Number(size)),
    __multi3: (...numbers) => multiply(new DataView(memory.buffer), ...numbers),
    numba_attempt_nocopy_reshape: (...sizes) => reshape(new DataView(memory.buffer), ...sizes),
  };
  if (name in functions) return functions[name];
  return (...numbers) => Math.fround(functions[name.slice(0, -1)](...numbers));
}

/** The difference of the first bytes that differ. */
function compare(bytes, a, b, size) {
  for (let i = 0; i < size; i++) if (bytes[a + i] !== bytes[b + i]) return bytes[a + i] - bytes[b + i];
  return 0;
}

/** Writes the product of two integers of 128 bits, each given as two of 64. */
function multiply(view, out, a, aHigh, b, bHigh) {
  const whole = (low, high) => BigInt.asUintN(64, low) + (high << 64n), product = whole(a, aHigh) * whole(b, bHigh);
  view.setBigInt64(out, BigInt.asIntN(64, product), true);
  view.setBigInt64(out + 8, BigInt.asIntN(64, product >> 64n), true);
}

/** Writes the strides of an array for a new shape. Both are in C order; returns 0 if the array is not. */
function reshape(view, nd, shape, strides, newNd, newShape, newStrides, itemSize) {
  const read = (address, axis) => view.getBigInt64(address + 8 * axis, true);
  let step = itemSize;
  for (let axis = Number(nd) - 1; axis >= 0; axis--) {
    if (read(shape, axis) !== 1n && read(strides, axis) !== step) return 0;
    step *= read(shape, axis);
  }
  step = itemSize;
  for (let axis = Number(newNd) - 1; axis >= 0; axis--) {
    view.setBigInt64(newStrides + 8 * axis, step, true);
    step *= read(newShape, axis);
  }
  return 1;
}

class Program {
  constructor(functions, memory, image, description) {
    Object.assign(this, { functions, memory, image, description });
    // Behind the image: a pointer to an exception, and what a function returns.
    this.exception = (description.base + description.size + 63) & ~63;
    this.returned = this.exception + 64;
    this.reset();
  }

  /** Copies the image into memory: all arrays are as they were in Python. */
  reset() {
    const { base, size, parts } = this.description, memory = new Uint8Array(this.memory.buffer, base, size);
    memory.fill(0);
    let begin = 0;
    for (const [at, length] of parts) {
      memory.set(this.image.subarray(begin, begin + length), at);
      begin += length;
    }
  }

  /** The names of all arrays among a function's arguments. */
  names(name) { return Object.keys(this.description.exports[name].views); }

  /** An array of a function's arguments, such as "state.words", with one axis. It is a view of the memory. */
  array(name, argument) {
    const { dtype, address, shape } = this.#view(name, argument);
    return new ARRAYS[dtype](this.memory.buffer, address, shape.reduce((size, n) => size * n, 1));
  }

  /** A row of an array. */
  row(name, argument, i) {
    const all = this.array(name, argument), length = all.length / this.#view(name, argument).shape[0];
    return all.subarray(i * length, (i + 1) * length);
  }

  /** The bytes of an array. */
  bytes(name, argument) {
    const { buffer, byteOffset, byteLength } = this.array(name, argument);
    return new Uint8Array(buffer, byteOffset, byteLength);
  }

  #view(name, argument) {
    const view = this.description.exports[name].views[argument];
    if (!view) throw new Error(`${name} has no array ${argument}; it has ${this.names(name).join(", ")}`);
    return view;
  }

  /**
   * Calls a function with its arguments of Python, of which `replacements` may change some by name: numbers, or
   * parts of arrays such as "state.words.data". Returns a number, an array for a tuple, or undefined. 64-bit
   * integers are BigInt. Throws an Error if the function raises an exception.
   */
  call(name, replacements = {}) {
    const { parameters, returns } = this.description.exports[name];
    const rest = new Set(Object.keys(replacements));
    const numbers = parameters.map(([key, type, value]) => {
      rest.delete(key);
      return (type === "i64" ? BigInt : Number)(replacements[key] ?? value);
    });
    if (rest.size) throw new Error(`${name} has no parameter ${[...rest].join(", ")}`);
    const status = this.functions[name](this.returned, this.exception, ...numbers);
    if (status !== 0) throw new Error(`${name} raised an exception (status ${status})`);
    let address = this.returned;
    const values = returns.map((type) => {
      const size = ARRAYS[type].BYTES_PER_ELEMENT;
      address = Math.ceil(address / size) * size;
      const [value] = new ARRAYS[type](this.memory.buffer, address, 1);
      address += size;
      return type === "bool" ? value !== 0 : value;
    });
    return returns.length > 1 ? values : values[0];
  }
}

/** A program of a module's code (bytes), the parts of its image (Uint8Array) and its description (parsed JSON). */
export async function load(code, image, description) {
  const memory = new WebAssembly.Memory({ initial: Math.ceil((description.base + description.size) / PAGE) + 1 });
  const module = await WebAssembly.compile(code);
  const names = WebAssembly.Module.imports(module).map(({ name }) => name);
  const env = Object.fromEntries(names.map((name) => [name, provide(name, memory)]));
  const { exports } = await WebAssembly.instantiate(module, { env });
  return new Program(exports, memory, image, description);
}
