// What the worker answers to a request that it cannot serve.

/** One line for the user; `status` is that of HTTP. */
export class Refusal extends Error {
  constructor(text, status = 400) {
    super(text);
    this.status = status;
  }
}
