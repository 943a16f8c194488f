/** Ends a process that is stuck: an endless loop leaves it no turn to do so itself. */
const BARK = `
  const { workerData } = require("node:worker_threads");
  const until = new Float64Array(workerData);
  setInterval(() => { if (Date.now() > until[0]) process.kill(process.pid, "SIGKILL"); }, 250);
`;
/** ms, several within each silence. */
const SIGN = 500;
const { setInterval, clearInterval } = globalThis;
const now = Date.now.bind(Date);

let until: Float64Array | undefined;

/**
 * From now until the returned function is called: where this process gets no turn for `silence` ms, it ends. Does nothing where
 * tests have no process of their own.
 */
export function watched(silence: number): () => void {
  if (process.send === undefined) return () => undefined;
  const shared = until ?? started();
  until = shared;
  const sign = () => {
    shared[0] = now() + silence;
  };
  sign();
  const timer = setInterval(sign, SIGN);
  return () => {
    clearInterval(timer);
    shared[0] = Number.POSITIVE_INFINITY;
  };
}

function started(): Float64Array {
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  const shared = new Float64Array(new SharedArrayBuffer(8));
  shared[0] = Number.POSITIVE_INFINITY;
  new Worker(BARK, { eval: true, workerData: shared.buffer }).unref();
  return shared;
}
