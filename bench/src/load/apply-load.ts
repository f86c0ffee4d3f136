import { type Arrivals, closedLoop, openLoop } from './arrivals.ts';
import { type Client, openClient } from './client.ts';
import type { LoadResult, Order, Pause } from './load.ts';
import { plantNumbers } from './plant-numbers.ts';
import { plantRequests } from './plant-request.ts';
import { tally } from './tally.ts';

/**
 * Applies a load and resolves when every request has been completed or lost.
 *
 * @param pause waited for before the first request and after the last response, while all connections are open.
 * @throws {Error} if a connection cannot be opened or reopened.
 */
export async function applyLoad(order: Order, pause: Pause = async () => {}): Promise<LoadResult> {
  const requests = plantRequests(order);
  const numbers = plantNumbers(order);
  const { promise: allCompleted, resolve, reject } = Promise.withResolvers<void>();
  const parts = { requests, numbers, onFree: pump, onFailure: reject };
  const clients: readonly Client[] = await Promise.all(
    Array.from({ length: order.connections }, () => openClient(order.port, parts)),
  );
  const free = [...clients];

  // A connection may be lost for good before it is waited for.
  allCompleted.catch(() => {});
  await pause();
  const start = performance.now();
  const counted = tally(start);
  const arrivals = arrivalsOf(order, start);
  const stopTicking = tick(() => pump(), order.rate === undefined ? 1 : 0.1);
  pump();
  try {
    await allCompleted;
    const result = counted.result();
    await pause();
    return result;
  } finally {
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

function arrivalsOf({ rate, ...load }: Order, start: number): Arrivals {
  return rate === undefined ? closedLoop(load, start) : openLoop({ ...load, rate }, start);
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
