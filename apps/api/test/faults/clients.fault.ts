import { setTimeout as sleep } from 'node:timers/promises';
import { isSamePlant } from '@plant-store/domain';
import { checkHistory } from '@plant-store/testing-servers';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../running-service.ts';
import { openClient } from './client.ts';
import { startStore } from './dedicated-store.ts';
import { expectAllServed, expectNothingLost, RESPONDED_WITHIN_MS } from './expectations.ts';
import { byOutcome, contradictions, isDecided, longest, milliseconds, print, quantile } from './figures.ts';
import { sendAgain, startLoad } from './load.ts';
import { leaveAfter, sendSlowly } from './misbehaving-clients.ts';
import { newPlants, type SentPlant } from './plants.ts';
import { storedPlants } from './stored-plants.ts';

const RATE = 200;

async function start() {
  const { url } = await startStore();
  const service = await startService({ DATABASE_URL: url });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  const { send, close } = openClient(service.url);
  onTestFinished(close);
  return { url, service, send };
}

test('clients disconnect in mid-request: each plant is stored whole or not at all', async () => {
  const { url, service, send } = await start();
  const load = startLoad(RATE, newPlants(), send);
  const nextLarge = newPlants(20_000);
  // They disconnect after every share of their bytes, and every fifth one after the last byte.
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
  const stored = await storedPlants(url, [...others, ...left]);
  print('clients disconnect', [
    `${left.length} disconnected, ${found.size} of their plants are stored`,
    `the others ${byOutcome(others)}`,
  ]);
  const history = left.map(({ plant, outcome }) => ({
    ...{ key: plant.id, value: plant, called: 0, answered: Infinity },
    answer: outcome === 'left' ? ('refused' as const) : ('unknown' as const),
  }));
  expect(contradictions({ results: others, again, stored }, history)).toEqual([]);
  // Nobody has sent those again yet.
  expect(checkHistory<number, SentPlant>(history, found, isSamePlant)).toEqual([]);
  expect(found.size, 'none was sent completely, so nothing was tested').toBeGreaterThan(0);
  expect(again.filter((result) => !isDecided(result))).toEqual([]);
  expectAllServed(others);
});

test('slow headers and bodies are cut off without affecting other clients', async () => {
  const { url, service, send } = await start();
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
  print('slow clients', [
    `headers closed after at most ${milliseconds(longestOf(headers))}`,
    `bodies after ${milliseconds(longestOf(bodies))}`,
    `the others ${byOutcome(others)}`,
    `99 % of them within ${milliseconds(quantile(others, 0.99))}, without slow clients ${milliseconds(quantile(usual, 0.99))}`,
  ]);
  // Each gets the reason.
  for (const { response } of [...headers, ...bodies]) expect(response).toMatch(/^HTTP\/1\.1 400 .*"error":40007/s);
  expect(longestOf(headers)).toBeLessThanOrEqual(6_000 + SLACK_MS);
  expect(longestOf(bodies)).toBeLessThanOrEqual(11_000 + SLACK_MS);
  expectAllServed(others);
  const results = [...usual, ...others];
  expectNothingLost({ results, again: [], stored: await storedPlants(url, results) });
  expect(longest(others)).toBeLessThanOrEqual(RESPONDED_WITHIN_MS);
});

/** Half a second, for a busy machine. */
const SLACK_MS = 500;
