import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { applyLoad } from '../src/load/apply-load.ts';
import { anOrder } from './an-order.ts';
import { echoServer, type Intercept } from './echo-server.ts';

async function aServer(intercept?: Intercept) {
  const server = await echoServer(intercept);
  onTestFinished(() => server.close());
  return server;
}

test('every request is sent once, and its response is counted', async () => {
  const { port, ids } = await aServer();
  const result = await applyLoad({ ...anOrder, port });
  expect(ids).toHaveLength(100);
  expect(new Set(ids).size).toBe(100);
  expect(result).toMatchObject({ outcomes: { '200': 100 }, sent: 100, created: 100, unknown: 0, wrongBodies: 0 });
});

test('responses are counted by status; the outcome of a 5xx is unknown', async () => {
  const { port } = await aServer((count) => (count % 10 === 0 ? 503 : count % 10 === 1 ? 400 : 200));
  const result = await applyLoad({ ...anOrder, port });
  expect(result).toMatchObject({ outcomes: { '200': 80, '400': 10, '503': 10 }, created: 80, unknown: 10 });
});

test('a lost connection is counted and reopened', async () => {
  const { port } = await aServer((count, request) => {
    if (count === 50) request.socket.destroy();
    return 200;
  });
  const result = await applyLoad({ ...anOrder, port });
  expect(result).toMatchObject({ outcomes: { '200': 99, lost: 1 }, created: 99, unknown: 1 });
});

test('a response that is not the plant is counted', async () => {
  const { port } = await aServer((_count, _request, response) => {
    response.writeHead(200, { 'content-length': 2 }).end('{}');
    return new Promise(() => {});
  });
  expect(await applyLoad({ ...anOrder, port })).toMatchObject({ wrongBodies: 100 });
});

test('duplicates repeat created plants, and create nothing', async () => {
  const { port, ids } = await aServer();
  const { sent, created, outcomes } = await applyLoad({ ...anOrder, port, requests: 1_000, duplicates: 0.5 });
  expect(outcomes).toEqual({ '200': 1_000 });
  expect(new Set(ids).size).toBe(created);
  expect(sent).toBe(created);
  expect(created).toBeGreaterThan(400);
  expect(created).toBeLessThan(600);
});

test('at a constant rate, requests that were due during a stall are charged for the wait', async () => {
  const { port, ids } = await aServer(async (count) => {
    if (count === 1) await sleep(500);
    return 200;
  });
  const { latency, lateness } = await applyLoad({ ...anOrder, port, connections: 1, requests: 50, rate: 100 });
  expect(ids).toHaveLength(50);
  // All 50 were due within that half second: on average they waited for half of it.
  expect(latency.p50).toBeGreaterThan(200);
  expect(lateness.p50).toBeGreaterThan(200);
});

test('nothing is sent during a pause, and all connections are open', async () => {
  const { port, ids, connections } = await aServer();
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
