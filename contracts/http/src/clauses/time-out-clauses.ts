import { setImmediate } from 'node:timers/promises';
import { type Clause, EventLoopWatch, type Tools } from '@plant-store/contracts-kit';
import { closedAfter, type DeployedService, type TimeOuts, timeOutOf } from '../deployed-service.ts';
import { expectCreated, expectError, expectPlant } from '../expectations/expectations.ts';
import { type Connection, onConnection } from '../http/connection.ts';
import { chunked, rawRequest } from '../http/raw-request.ts';
import { aPlant, jsonOf } from '../new-plants.ts';

/** Slow clients. The titles name the service's default settings: 5 s for the head of a request, 10 s for the whole. */
export const timeOutClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-60',
    title:
      'a head that takes longer than 5 s gets 400, and the connection is closed within 6 s, without a response if nothing was sent; other requests are served',
    check: unlessStalled(async (service, tools) => {
      const request = rawRequest(service, { body: jsonOf(aPlant()) });
      const waitsFor = 'head';
      const pauseMs = 0.6 * timeOutOf(service, waitsFor);
      const slow = { what: 'a head, a byte at a time', bytes: request, waitsFor } as const;
      await Promise.all([
        expectTimeOut(service, tools, slow),
        expectTimeOut(service, tools, { ...slow, what: 'a valid request, then such a head', first: true }),
        expectSilentClosed(service),
        expectServedInParts(service, tools, { splitAt: 0, pauseMs }),
        expectServedInParts(service, tools, { splitAt: 40, pauseMs }),
        expectOthersServed(service, tools, timeOutOf(service, waitsFor)),
      ]);
    }),
  },
  {
    id: 'HC-61',
    title:
      'a request that takes longer than 10 s gets 400, and the connection is closed within 11 s; other requests are served',
    check: unlessStalled(async (service, tools) => {
      const length = { 'Content-Length': '1000' };
      const waitsFor = 'request';
      const pauseMs = 0.7 * timeOutOf(service, waitsFor);
      const slow = { what: 'a body, a byte at a time', waitsFor } as const;
      const splitAt = rawRequest(service, { body: '' }).length + 5;
      await Promise.all([
        expectTimeOut(service, tools, {
          ...slow,
          head: rawRequest(service, { headers: length, body: '' }),
          bytes: ' '.repeat(100),
        }),
        expectTimeOut(service, tools, {
          ...slow,
          head: rawRequest(service, { headers: chunked, body: '' }),
          bytes: '1\r\n \r\n'.repeat(20),
        }),
        expectServedInParts(service, tools, { splitAt, pauseMs }),
        expectOthersServed(service, tools, timeOutOf(service, waitsFor)),
      ]);
    }),
  },
];

type Check = Clause<DeployedService>['check'];

/** If a check fails in which this process was stalled, it was the one that was late: so it is repeated. */
function unlessStalled(check: Check): Check {
  return async (...given) => {
    for (let attempt = 1; ; attempt += 1) {
      using watch = new EventLoopWatch();
      try {
        return await check(...given);
      } catch (error) {
        if (attempt === ATTEMPTS || watch.longestMs < STALL_MS) throw error;
      }
    }
  };
}

const ATTEMPTS = 3;
const STALL_MS = 250;

/** For the round trip, and for a busy machine. */
const SLACK_MS = 1_500;
/** Bytes within a time-out that are sent one by one. */
const DRIBBLED = 10;

interface Slow {
  readonly what: string;
  /** Sent at once. */
  readonly head?: string;
  /** Sent one by one, so that the connection is never idle. */
  readonly bytes: string;
  readonly waitsFor: keyof TimeOuts;
  /** Whether a valid request is sent before, on the same connection. */
  readonly first?: boolean;
}

function expectTimeOut(service: DeployedService, tools: Tools, slow: Slow): Promise<void> {
  return onConnection(service, slow.what, async (connection) => {
    if (slow.first) {
      const plant = aPlant();
      connection.send(rawRequest(service, { body: jsonOf(plant) }));
      expectPlant(await connection.response(), plant);
    }
    const withinMs = closedAfter(service, slow.waitsFor) + SLACK_MS;
    const started = Date.now();
    const dribbling = new AbortController();
    void dribble(connection, tools, slow, dribbling.signal);
    try {
      expectError(await connection.response({ withinMs }), 'request-timeout');
      await connection.closed({ withinMs: withinMs - (Date.now() - started) });
    } finally {
      dribbling.abort();
    }
  });
}

async function dribble(
  connection: Connection,
  { sleep }: Tools,
  { head = '', bytes, waitsFor }: Slow,
  end: AbortSignal,
): Promise<void> {
  connection.send(head);
  for (const byte of bytes) {
    if (end.aborted) return;
    connection.send(byte);
    await sleep(timeOutOf(connection.service, waitsFor) / DRIBBLED);
    // After a stall of this process the response may be unread, and a byte sent before it is read could lose it.
    await setImmediate();
  }
}

/** A client that sends its first request just then would take a response for the one to its request. */
function expectSilentClosed(service: DeployedService): Promise<void> {
  const withinMs = closedAfter(service, 'head') + SLACK_MS;
  return onConnection(service, 'nothing', (connection) => connection.closed({ withinMs }));
}

function expectServedInParts(
  service: DeployedService,
  { sleep }: Tools,
  { splitAt, pauseMs }: { readonly splitAt: number; readonly pauseMs: number },
): Promise<void> {
  const what = `a request with a pause of ${pauseMs} ms after ${splitAt} bytes`;
  return onConnection(service, what, async (connection) => {
    const plant = aPlant();
    const request = rawRequest(service, { body: jsonOf(plant) });
    connection.send(request.slice(0, splitAt));
    await sleep(pauseMs);
    connection.send(request.slice(splitAt));
    expectPlant(await connection.response(), plant);
  });
}

async function expectOthersServed(service: DeployedService, { sleep }: Tools, timeoutMs: number): Promise<void> {
  const until = performance.now() + timeoutMs;
  do {
    await expectCreated(service, aPlant());
    await sleep(OTHERS_MS);
  } while (performance.now() < until);
}

const OTHERS_MS = 1_000;
