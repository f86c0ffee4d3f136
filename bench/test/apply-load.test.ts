import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { applyLoad } from '../src/load/apply-load.ts';
import { echoServer } from './echo-server.ts';

/** A hundred requests. */
const anOrder = { connections: 4, seconds: 0.1, rate: 1_000, token: 'token', firstPlant: 1e12 };

test('every request is sent once, its plant has an id of its own, and its response is counted', async () => {
  const { port, ids } = await echoServer();
  const result = await applyLoad({ ...anOrder, port });
  expect(ids).toHaveLength(100);
  expect(new Set(ids).size).toBe(100);
  expect(result).toMatchObject({ outcomes: { '200': 100 }, sent: 100, created: 100, unknown: 0, wrongBodies: 0 });
});

test('without a rate, each connection sends the next request after the response', async () => {
  const { port, ids } = await echoServer(() => sleep(20, 200));
  const { completedInTime, sent } = await applyLoad({ ...anOrder, rate: undefined, seconds: 1, port });
  expect(sent).toBe(ids.length);
  expect(sent - completedInTime).toBeLessThanOrEqual(4);
  expect(completedInTime).toBeLessThanOrEqual(4 * 50);
  expect(completedInTime).toBeGreaterThan(8);
});

test('responses are counted by status; the outcome of a 5xx is unknown', async () => {
  const { port } = await echoServer((count) => (count % 10 === 0 ? 503 : count % 10 === 1 ? 400 : 200));
  const result = await applyLoad({ ...anOrder, port });
  expect(result).toMatchObject({ outcomes: { '200': 80, '400': 10, '503': 10 }, created: 80, unknown: 10 });
});

test('a lost connection is counted and reopened', async () => {
  const { port } = await echoServer((count, request) => {
    if (count === 50) request.socket.destroy();
    return 200;
  });
  const result = await applyLoad({ ...anOrder, port });
  expect(result).toMatchObject({ outcomes: { '200': 99, lost: 1 }, created: 99, unknown: 1 });
});

test('a response that is not the plant is counted', async () => {
  const { port } = await echoServer((_count, _request, response) => {
    response.writeHead(200, { 'content-length': 2 }).end('{}');
    return new Promise(() => {});
  });
  expect(await applyLoad({ ...anOrder, port })).toMatchObject({ wrongBodies: 100 });
});

test('at a constant rate, requests that were due during a stall are charged for the wait', async () => {
  const { port, ids } = await echoServer(async (count) => {
    if (count === 1) await sleep(500);
    return 200;
  });
  const { latency, lateness } = await applyLoad({ ...anOrder, port, connections: 1, seconds: 0.5, rate: 100 });
  expect(ids).toHaveLength(50);
  // All 50 were due within that half second: on average they waited for half of it.
  expect(latency.p50).toBeGreaterThan(200);
  expect(lateness.p50).toBeGreaterThan(200);
});

test('nothing is sent during a pause, and all connections are open', async () => {
  const { port, ids, connections } = await echoServer();
  const seen: unknown[] = [];
  await applyLoad({ ...anOrder, port }, async () => {
    const before = ids.length;
    await sleep(50);
    seen.push([before, ids.length, await connections()]);
  });
  expect(seen).toEqual([
    [0, 0, 4],
    [100, 100, 4],
  ]);
});
