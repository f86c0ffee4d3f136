import { once } from 'node:events';
import { connect } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import type { Figures } from './report.ts';

/** A load on a contestant. */
export interface Load {
  /** Connections, each with at most one request in flight. */
  readonly connections: number;
  /** How long the same load is applied before on the same connections, without being measured. 0 by default. */
  readonly leadInSeconds?: number;
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
 * @param pause called before the first measured request and after the last response, while all connections are open.
 * @returns how many requests were sent, how many of them had status 200, how many were measured, and their figures. The lag is
 * how late a request was sent although a connection was free, as a mean.
 * @throws {Error} if a connection is lost, a response with status 200 is not the plant, or the server hangs.
 */
export async function applyLoad(
  port: number,
  { connections, leadInSeconds = 0, seconds, rate }: Load,
  firstPlant: number,
  pause: () => Promise<void> = async () => {},
) {
  // In microseconds. A histogram does not accept 0.
  const [latency, lag] = [createHistogram(), createHistogram()];
  const failure = Promise.withResolvers<never>();
  // Handles a connection that is lost during the pause.
  failure.promise.catch(() => {});
  let [start, end, first, lastResponse, sent, created] = [0, 0, 0, 0, 0, 0];
  // When a connection became free after a time without one.
  let freeSince = 0;
  let allCompleted = () => {};
  const connecting = Array.from({ length: connections }, () => connectClient(port, completed, failure.reject));
  const clients = await Promise.all(connecting);
  const free = [...clients];
  try {
    await applyFor(leadInSeconds);
    const createdBefore = created;
    await pause();
    await applyFor(seconds);
    await pause();
    const figures: Figures = {
      'requests/s': ((created - createdBefore) / (lastResponse - start)) * 1_000,
      'p50 ms': latency.percentile(50) / 1_000,
      'p99 ms': latency.percentile(99) / 1_000,
      'lag ms': rate === undefined ? Number.NaN : lag.mean / 1_000,
    };
    return { sent, created, measured: sent - first, figures };
  } finally {
    for (const client of clients) client.close();
  }

  /** Applies the load and waits for all responses. */
  async function applyFor(duration: number): Promise<void> {
    const completion = Promise.withResolvers<void>();
    allCompleted = completion.resolve;
    latency.reset();
    lag.reset();
    first = sent;
    start = performance.now();
    end = start + duration * 1_000;
    const hung = () => failure.reject(new Error(`port ${port} does not respond`));
    // Far longer than any contestant takes on a busy machine.
    const hangs = setTimeout(hung, 2_000 * duration + 60_000);
    const stopTicking = rate === undefined ? () => {} : tick(sendDue);
    try {
      sendDue();
      await Promise.race([completion.promise, failure.promise]);
    } finally {
      clearTimeout(hangs);
      stopTicking();
    }
  }

  function sendDue(): void {
    const now = performance.now();
    for (;;) {
      const due = rate === undefined ? now : start + ((sent - first) / rate) * 1_000;
      if (due >= end && free.length === clients.length) allCompleted();
      // In turn, because a server closes a connection that is idle for seconds.
      const client = due <= now && due < end ? free.shift() : undefined;
      if (!client) return;
      lag.record(microseconds(now - Math.max(due, freeSince)));
      client.send(firstPlant + sent, due);
      sent += 1;
    }
  }

  function completed(client: Client, status: number, due: number): void {
    lastResponse = performance.now();
    latency.record(microseconds(lastResponse - due));
    if (status === 200) created += 1;
    if (free.length === 0) freeSince = lastResponse;
    free.push(client);
    sendDue();
  }
}

function microseconds(ms: number): number {
  return Math.max(1, Math.round(ms * 1_000));
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

/** The bearer token of every contestant that checks one. */
export const TOKEN = 'token-of-the-benchmark';

/** The body of the response. The body of the request also has the id, as the first member. */
const PLANT = JSON.stringify({ name: 'Monstera deliciosa', tag: 'indoor' });

/**
 * The request body of a plant. Its id has 18 digits, so that all bodies have the same length, and is anywhere in a B-tree. The
 * factor is coprime to the number of ids, so that different numbers have different ids.
 */
function writeBody(number: number): string {
  const id = 100_000_000_000_000_000n + ((BigInt(number) * 556_230_589_874_905_421n) % 900_000_000_000_000_000n);
  return `{"id":${id},${PLANT.slice(1)}`;
}

/** A connection with at most one request in flight. */
interface Client {
  /** Sends the plant of a number, in a request that was due at this time. */
  send(number: number, due: number): void;
  close(): void;
}

/**
 * Connects a client. It reads only HTTP/1.1 responses with a Content-Length, which every contestant sends.
 *
 * @param onFailure called if the connection is lost, or a response with status 200 is not the plant.
 */
async function connectClient(
  port: number,
  onResponse: (client: Client, status: number, due: number) => void,
  onFailure: (error: Error) => void,
): Promise<Client> {
  const headers = `Authorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\nContent-Length: ${writeBody(0).length}`;
  const head = `POST /plants HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${headers}\r\n\r\n`;
  let inFlightSince = 0;
  let received = '';
  // One buffer for all responses is faster than a stream.
  const onread = { buffer: Buffer.allocUnsafe(8_192), callback: read };
  const socket = connect({ host: '127.0.0.1', port, noDelay: true, onread });
  await once(socket, 'connect');
  socket.on('error', onFailure).on('close', () => onFailure(new Error(`a connection to port ${port} was lost`)));
  const client: Client = {
    send(number, due) {
      inFlightSince = due;
      socket.write(head + writeBody(number), 'latin1');
    },
    close: () => socket.destroy(),
  };
  return client;

  function read(length: number, buffer: Uint8Array): boolean {
    received += Buffer.from(buffer.buffer, buffer.byteOffset, length).toString('latin1');
    const [, status, bodyLength, body] = RESPONSE.exec(received) ?? [];
    if (body === undefined || body.length < Number(bodyLength)) return true;
    received = '';
    if (status === '200' && body !== PLANT) onFailure(new Error(`not the plant that was sent: ${body}`));
    else onResponse(client, Number(status), inFlightSince);
    return true;
  }
}

const RESPONSE = /^HTTP\/1\.1 (\d{3}) .*?\r\ncontent-length: *(\d+).*?\r\n\r\n(.*)$/is;
