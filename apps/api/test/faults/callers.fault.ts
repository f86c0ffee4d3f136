import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../running-service.ts';
import { openCaller } from './caller.ts';
import { startStore } from './dedicated-store.ts';
import { byOutcome, longest, milliseconds, print, quantile } from './figures.ts';
import { sendAgain, startLoad } from './load.ts';
import { leaveAfter, sendSlowly } from './odd-callers.ts';
import { newPlants } from './plants.ts';
import { ANSWERED_WITHIN_MS } from './promises.ts';
import { storedPlants } from './stored-plants.ts';

const RATE = 200;

async function start() {
  const { url } = await startStore();
  const service = await startService({ DATABASE_URL: url });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  const { send, close } = openCaller(service.url);
  onTestFinished(close);
  return { url, service, send };
}

test('callers leave in mid-request: each plant is whole or absent', async () => {
  const { url, service, send } = await start();
  const load = startLoad(RATE, newPlants(), send);
  const nextLarge = newPlants(20_000);
  // They leave after every share of their bytes, and every fifth after the last one.
  const left = await Promise.all(
    Array.from({ length: 300 }, async (_, at) => {
      const plant = nextLarge();
      await sleep(at * 10);
      return { plant, outcome: await leaveAfter(service.url, plant, Math.min(1, (at % 100) / 80)) };
    }),
  );
  await sleep(2_500);
  const others = await load.stop();

  const found = await storedPlants(url, left);
  const again = await sendAgain(left, send);
  print('callers leave', [
    `${left.length} left, ${found.size} of their plants are there`,
    `the others ${byOutcome(others)}`,
  ]);
  for (const { plant, outcome } of left) {
    const stored = found.get(plant.id);
    if (stored) expect(stored).toEqual(plant);
    if (outcome === 'left') expect(stored).toBeUndefined();
  }
  expect(found.size, 'none was sent whole, so nothing was tried').toBeGreaterThan(0);
  expect(byOutcome(again)).toBe(`200: ${again.length}`);
  expect(byOutcome(others)).toBe(`200: ${others.length}`);
});

test('headers and bodies that come slowly are cut off, and nobody else notices', async () => {
  const { service, send } = await start();
  const before = startLoad(RATE, newPlants(), send);
  await sleep(3_000);
  const usual = await before.stop();

  const load = startLoad(RATE, newPlants(), send);
  const next = newPlants();
  const slow = (part: 'headers' | 'body') =>
    Promise.all(Array.from({ length: 100 }, () => sendSlowly(service.url, next(), part)));
  const [headers, bodies] = await Promise.all([slow('headers'), slow('body')]);
  const others = await load.stop();

  const longestOf = (closed: typeof headers) => Math.max(...closed.map(({ closedAfterMs }) => closedAfterMs));
  print('slow callers', [
    `headers closed after ${milliseconds(longestOf(headers))} at the most`,
    `bodies after ${milliseconds(longestOf(bodies))}`,
    `the others ${byOutcome(others)}`,
    `99 % of them within ${milliseconds(quantile(others, 0.99))}, without slow callers ${milliseconds(quantile(usual, 0.99))}`,
  ]);
  // Each is told why.
  for (const { answer } of [...headers, ...bodies]) expect(answer).toMatch(/^HTTP\/1\.1 400 .*"error":40007/s);
  expect(longestOf(headers)).toBeLessThanOrEqual(6_000 + SLACK_MS);
  expect(longestOf(bodies)).toBeLessThanOrEqual(11_000 + SLACK_MS);
  expect(byOutcome(others)).toBe(`200: ${others.length}`);
  expect(longest(others)).toBeLessThanOrEqual(ANSWERED_WITHIN_MS);
});

/** Half a second for a machine that others use as well. */
const SLACK_MS = 500;
