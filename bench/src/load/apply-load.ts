import { createHistogram } from 'node:perf_hooks';
import { type Client, connectClient } from './client.ts';

/** A load on a contestant. */
export interface Load {
  /** Connections, each with at most one request in flight. */
  readonly connections: number;
  readonly seconds: number;
  /** Requests per second (an open loop). If absent, each connection sends again after each response (a closed loop). */
  readonly rate?: number;
}

/**
 * Applies a load. At a constant rate, a request without a free connection is sent later, but its latency counts from when it
 * was due. A server that stalls for a second is therefore charged for all requests of that second («coordinated omission»).
 *
 * It uses raw sockets, because it shares the cores with the server: 8 µs of CPU per request, where autocannon takes 23 µs. At 500
 * requests/s, autocannon sends all requests of a second in the first 0.12 s.
 *
 * @param firstPlant the number of the first plant. Plants with different numbers have different ids.
 * @param pause called before the first request and after the last response, while all connections are open.
 * @returns how many requests were sent, how many had status 200, and figures.
 * @throws {Error} if a connection is lost, a response with status 200 is not the plant, or the server hangs.
 */
export async function applyLoad(
  port: number,
  { connections, seconds, rate }: Load,
  firstPlant: number,
  pause: () => Promise<void> = async () => {},
) {
  const latency = createHistogram();
  const { promise: allCompleted, resolve, reject } = Promise.withResolvers<void>();
  // Handles a connection that is lost during the pause.
  allCompleted.catch(() => {});
  let [start, end, lastResponse, sent, created] = [0, 0, 0, 0, 0];
  const clients = await Promise.all(Array.from({ length: connections }, () => connectClient(port, completed, reject)));
  const free = [...clients];
  await pause();
  start = performance.now();
  end = start + seconds * 1_000;
  // Far longer than any contestant takes on a busy machine.
  const hangs = setTimeout(() => reject(new Error(`port ${port} does not respond`)), 2_000 * seconds + 60_000);
  const stopTicking = rate === undefined ? () => {} : tick(sendDue);
  try {
    sendDue();
    await allCompleted;
    await pause();
  } finally {
    clearTimeout(hangs);
    stopTicking();
    for (const client of clients) client.close();
  }
  const [p50, p99] = [latency.percentile(50) / 1_000, latency.percentile(99) / 1_000];
  const requestsPerSecond = (created / (lastResponse - start)) * 1_000;
  return { sent, created, figures: { 'requests/s': requestsPerSecond, 'p50 ms': p50, 'p99 ms': p99 } };

  function sendDue(): void {
    const now = performance.now();
    for (;;) {
      const due = rate === undefined ? now : start + (sent / rate) * 1_000;
      if (due >= end && free.length === clients.length) resolve();
      const client = due <= now && due < end ? free.pop() : undefined;
      if (!client) return;
      client.send(firstPlant + sent, due);
      sent += 1;
    }
  }

  function completed(client: Client, status: number, due: number): void {
    lastResponse = performance.now();
    // In microseconds; the histogram does not accept 0.
    latency.record(Math.max(1, Math.round((lastResponse - due) * 1_000)));
    if (status === 200) created += 1;
    free.push(client);
    sendDue();
  }
}

/**
 * Calls back every 0.1 ms. A timer fires at most once a millisecond, in which four of 4,000 requests/s are due. Sleeps in
 * between, because it shares the cores with the server.
 */
function tick(callback: () => void): () => void {
  const neverNotified = new Int32Array(new SharedArrayBuffer(4));
  let next = setImmediate(function tock() {
    callback();
    Atomics.wait(neverNotified, 0, 0, 0.1);
    next = setImmediate(tock);
  });
  return () => clearImmediate(next);
}
