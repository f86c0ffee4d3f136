import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listening } from '@plant-store/testing';
import { expect, onTestFinished, test } from 'vitest';
import { applyLoad, type Load } from '../src/apply-load.ts';
import { contestants } from '../src/contestants.ts';
import { startContestant } from '../src/start-contestant.ts';

/** Returns the plant with the status from `intercept`. Status 0 loses the connection, and 1 returns another plant. */
async function echo(intercept: (count: number) => number | Promise<number>) {
  const ids: string[] = [];
  const server = createServer(async (request, response) => {
    const [, id = '', plant = ''] = /^{"id":(\d{18}),(.*)$/.exec((await request.toArray()).join('')) ?? [];
    const status = await intercept(ids.push(id));
    if (status === 0) request.socket.destroy();
    else if (status === 1) response.writeHead(200, { 'content-length': 2 }).end('{}');
    else response.writeHead(status, { 'content-length': plant.length + 1 }).end(`{${plant}`);
  });
  return { ids, port: await listening(server, onTestFinished) };
}

test.each<[string, Load]>([
  ['at a constant rate', { connections: 4, rate: 1_000, seconds: 0.1 }],
  ['after a lead-in, which is not measured', { connections: 4, rate: 1_000, leadInSeconds: 0.05, seconds: 0.1 }],
  ['without a rate', { connections: 4, seconds: 0.1 }],
])('%s, each plant has an id of its own, and responses are counted by status', async (_, load) => {
  const { ids, port } = await echo((count) => (count % 10 === 0 ? 503 : 200));
  const { sent, created, measured } = await applyLoad(port, load, 1e12);
  expect(new Set(ids).size).toBe(sent);
  expect(created).toBe(sent - Math.floor(sent / 10));
  if (load.rate) expect([sent, measured]).toEqual([load.leadInSeconds ? 150 : 100, 100]);
});

test('at a constant rate, requests that were due during a stall are charged for the wait', async () => {
  const { port } = await echo((count) => sleep(count === 1 ? 500 : 0, 200));
  const { sent, figures } = await applyLoad(port, { connections: 1, rate: 100, seconds: 0.5 }, 1);
  expect(sent).toBe(50);
  // All were due within the stall of half a second, so on average they waited for a quarter.
  expect(figures['p50 ms']).toBeGreaterThan(200);
});

test.each([
  ['a lost connection', 0, 'was lost'],
  ['another plant', 1, 'not the plant that was sent: {}'],
])('%s makes the figures invalid', async (_, status, message) => {
  const { port } = await echo((count) => (count === 50 ? status : 200));
  await expect(applyLoad(port, { connections: 4, rate: 1_000, seconds: 0.1 }, 1)).rejects.toThrow(message);
});

test.each([99, 101])('figures are invalid if 100 plants were acknowledged and %d stored', async (stored) => {
  const [echo] = contestants;
  if (!echo) throw new Error('there is no echo');
  let rows = 0;
  await using contestant = await startContestant(echo, { url: '', count: async () => (rows += stored) });
  await expect(contestant.measure({ connections: 4, rate: 1_000, seconds: 0.1 })).rejects.toThrow(
    `echo acknowledged 100 of 100 plants, and its table has ${stored} more`,
  );
});
