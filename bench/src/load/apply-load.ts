import { arrivalsOf } from './arrivals.ts';
import { type Client, openClient } from './client.ts';
import type { LoadResult, Order } from './load.ts';
import { plantRequests } from './plant-request.ts';
import { tally } from './tally.ts';

/** Far longer than the service may take to respond, for a busy machine. */
const GRACE_MS = 60_000;

/**
 * Applies a load and resolves when every request has been completed or lost.
 *
 * It shares the cores with what it measures, so it must be cheap. CPU per request against a bare node:http echo at 64
 * connections: wrk 9.5 µs, raw sockets in Node 9.5 µs (mostly the kernel's), autocannon 20 µs. wrk cannot send at a constant
 * rate or report what was created, and has to be installed; hence raw sockets. The load of the faults is another one, because
 * there every plant and response is kept, and connections are lost on purpose.
 *
 * @param pause waited for before the first request and after the last response, while all connections are open.
 * @throws {Error} if a connection cannot be opened or reopened, or the server hangs.
 */
export async function applyLoad(order: Order, pause: () => Promise<void> = async () => {}): Promise<LoadResult> {
  const { port, rate, seconds } = order;
  const requests = plantRequests(port, order.token);
  let plant = order.firstPlant;
  const { promise: allCompleted, resolve, reject } = Promise.withResolvers<void>();
  const parts = { requests, nextPlant: () => plant++, onFree: pump, onFailure: reject };
  const clients: readonly Client[] = await Promise.all(
    Array.from({ length: order.connections }, () => openClient(port, parts)),
  );
  const free = [...clients];

  // A connection may be lost for good before it is waited for.
  allCompleted.catch(() => {});
  await pause();
  const start = performance.now();
  const counted = tally(start);
  const arrivals = arrivalsOf(order, start);
  const stopTicking = tick(() => pump(), rate === undefined ? 1 : 0.1);
  const hangs = setTimeout(
    () => reject(new Error(`the load on port ${port} did not finish: the server hangs`)),
    seconds * 2_000 + GRACE_MS,
  );
  pump();
  try {
    await allCompleted;
    await pause();
    return counted.result();
  } finally {
    clearTimeout(hangs);
    stopTicking();
    for (const client of clients) client.close();
  }

  function pump(freed?: Client): void {
    if (freed) free.push(freed);
    const now = performance.now();
    while (free.length > 0) {
      const due = arrivals.next(now);
      if (due === undefined) break;
      free.pop()?.send(due, counted);
    }
    if (!arrivals.isOver(now)) return;
    counted.over(now);
    if (free.length === clients.length) resolve();
  }
}

/**
 * Calls back every `ms` milliseconds. An open loop must check the clock more often than timers fire, at most once a
 * millisecond: at 4,000 requests per second four would be due by then, and three of them late. It sleeps in between, since it
 * shares the cores with the server.
 */
function tick(callback: () => void, ms: number): () => void {
  const nobodyWakesIt = new Int32Array(new SharedArrayBuffer(4));
  let ticking = true;
  function next(): void {
    if (!ticking) return;
    Atomics.wait(nobodyWakesIt, 0, 0, ms);
    callback();
    setImmediate(next);
  }
  if (ms < 1) setImmediate(next);
  const ticks = ms < 1 ? undefined : setInterval(callback, ms);
  return () => {
    ticking = false;
    clearInterval(ticks);
  };
}
