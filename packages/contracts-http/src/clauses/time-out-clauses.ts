import { setImmediate } from 'node:timers/promises';
import type { Clause, Tools } from '@plant-store/contracts-kit';
import type { DeployedService } from '../deployed-service.ts';
import { expectCreated, expectError, expectPlant } from '../expectations/expectations.ts';
import { type Connection, onConnection } from '../http/connection.ts';
import { rawRequest } from '../http/exchange.ts';
import { aPlant, jsonOf } from '../new-plants.ts';

/** Slow clients, by the service's default settings: 5 s for the head of a request, 10 s for the whole. */
export const timeOutClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-60',
    title:
      'a head that takes longer than 5 s gets 400, and the connection is closed within 6 s, without a response if nothing was sent; other requests are served',
    check: async (service, tools) => {
      const request = rawRequest(service, { body: jsonOf(aPlant()) });
      const slow = { what: 'a head, a byte every half a second', bytes: request, closedWithinMs: 6_000 };
      await Promise.all([
        expectTimeOut(service, tools, slow),
        expectTimeOut(service, tools, { ...slow, what: 'a valid request, then such a head', first: true }),
        expectSilentClosed(service),
        expectServedInParts(service, tools, { splitAt: 0, pauseMs: 3_000 }),
        expectServedInParts(service, tools, { splitAt: 40, pauseMs: 3_000 }),
        expectOthersServed(service, tools, 5),
      ]);
    },
  },
  {
    id: 'HC-61',
    title:
      'a request that takes longer than 10 s gets 400, and the connection is closed within 11 s; other requests are served',
    check: async (service, tools) => {
      const length = { 'Content-Length': '1000' };
      const chunked = { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' };
      const slow = { what: 'a body, a byte every half a second', closedWithinMs: 11_000 };
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
        expectServedInParts(service, tools, { splitAt, pauseMs: 7_000 }),
        expectOthersServed(service, tools, 10),
      ]);
    },
  },
];

/** For the round trip, and for a busy machine. */
const SLACK_MS = 1_500;
const DRIBBLE_MS = 500;

interface Slow {
  readonly what: string;
  /** Sent at once. */
  readonly head?: string;
  /** Sent one by one, so that the connection is never idle. */
  readonly bytes: string;
  readonly closedWithinMs: number;
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
    const withinMs = slow.closedWithinMs + SLACK_MS;
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
  { head = '', bytes }: Slow,
  end: AbortSignal,
): Promise<void> {
  connection.send(head);
  for (const byte of bytes) {
    if (end.aborted) return;
    connection.send(byte);
    await sleep(DRIBBLE_MS);
    // After a stall of this process the response may be unread, and a byte sent before it is read could lose it.
    await setImmediate();
  }
}

/** A client that sends its first request just then would take a response for the one to its request. */
function expectSilentClosed(service: DeployedService): Promise<void> {
  return onConnection(service, 'nothing', (connection) => connection.closed({ withinMs: 6_000 + SLACK_MS }));
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

async function expectOthersServed(service: DeployedService, { sleep }: Tools, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    await expectCreated(service, aPlant());
    await sleep(1_000);
  }
}
