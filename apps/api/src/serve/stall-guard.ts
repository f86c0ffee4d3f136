import { write } from 'node:fs';
import { url as inspectorUrl } from 'node:inspector';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

/**
 * A process whose event loop does not run for this time, in milliseconds, is killed: every request that it holds should have
 * had its response after 2 s, and a shutdown that has not begun would have been over soon after.
 */
export const STALLED_MS = 5_000;

/** How often the event loop has to run, in milliseconds. */
const TICK_MS = 500;

/**
 * Kills this process (SIGKILL) once its event loop stops running, because nothing else would: signals are handled by the event
 * loop, too. A thread watches it. Ticks are counted, not time: in a process or a machine that was suspended and resumed
 * both stood still. Not while a debugger can be attached, which stops the event loop on purpose.
 */
export function killIfStalled(stalledMs = STALLED_MS, tickMs = TICK_MS): void {
  const ticks = new Int32Array(new SharedArrayBuffer(8));
  const tick = () => {
    Atomics.store(ticks, 1, inspectorUrl() === undefined ? 0 : 1);
    Atomics.add(ticks, 0, 1);
  };
  tick();
  setInterval(tick, tickMs).unref();
  const data: Watch = { watch: import.meta.url, ticks, most: Math.ceil(stalledMs / tickMs), tickMs };
  const thread = new Worker(new URL(import.meta.url), { workerData: data, env: {}, execArgv: [] });
  // Without the thread the service is as good as without this guard.
  thread.on('error', () => {});
  thread.unref();
}

interface Watch {
  /** This module: others may run threads that import it. */
  readonly watch: string;
  /** Counted up by the event loop that is watched; and 1 if a debugger could be attached at the last tick, else 0. */
  readonly ticks: Int32Array;
  /** After so many ticks of the watch without one of these, the process is killed. */
  readonly most: number;
  readonly tickMs: number;
}

if (!isMainThread && workerData?.watch === import.meta.url) watch(workerData);

function watch({ ticks, most, tickMs }: Watch): void {
  let seen = 0;
  let missed = 0;
  setInterval(() => {
    const now = Atomics.load(ticks, 0);
    const isDebugged = Atomics.load(ticks, 1) === 1;
    missed = now === seen && !isDebugged ? missed + 1 : 0;
    seen = now;
    if (missed === most) end(`plant-store: the event loop is blocked for ${most * tickMs} ms; killing the process\n`);
  }, tickMs);
}

/** Does not wait for whoever reads the message. */
function end(message: string): void {
  const kill = () => process.kill(process.pid, 'SIGKILL');
  write(2, message, kill);
  setTimeout(kill, 100);
}
