// A pause in which messages and timers come through: in node, a page or a worker, without the 4 ms of nested timers.

const { port1, port2 } = new MessageChannel();
const waiting = [];

port1.onmessage = () => {
  waiting.shift()();
  if (!waiting.length) port1.unref?.();  // node may end
};
port1.unref?.();

/** Let everything that waits run; long work awaits it every few milliseconds. */
export function pause() {
  return new Promise((resolve) => {
    port1.ref?.();
    waiting.push(resolve);
    port2.postMessage(null);
  });
}
