import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type RunningService, startService } from '../running-service.ts';
import { type Client, openClient } from './client.ts';
import { startStore } from './dedicated-store.ts';
import { expectAllServed, expectNothingLost } from './expectations.ts';
import { byOutcome, contradictions, figuresOfResults, isDecided, longest, milliseconds, print } from './figures.ts';
import { sendAgain, startLoad } from './load.ts';
import { newPlants } from './plants.ts';
import { rotate } from './rotation.ts';
import { slowStatements } from './slow-store.ts';
import { storedPlants } from './stored-plants.ts';
import { watchShutdown } from './watch-shutdown.ts';

/** The grace period of a container. */
const ENDS_WITHIN_MS = 10_000;

const RATE = 300;

/** How long it keeps serving after SIGTERM. */
const DELAY_MS = 1_000;

async function start(url: string, PORT = '0', environment: Record<string, string> = {}): Promise<RunningService> {
  const service = await startService({ DATABASE_URL: url, PORT, ...environment });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  return service;
}

function call(service: RunningService): Client {
  const client = openClient(service.url);
  onTestFinished(client.close);
  return client;
}

test('the service is killed (SIGKILL) under load and restarted', async () => {
  const store = await startStore();
  const { url } = store;
  const service = await start(url);
  // So that some requests are always queued: what has reached the server is stored in any case.
  await slowStatements(store, 50);
  const { send } = call(service);
  const load = startLoad(RATE, newPlants(), send);
  await sleep(3_000);
  service.process.kill('SIGKILL');
  await service.ended;
  await start(url, new URL(service.url).port);
  await sleep(3_000);
  const results = await load.stop();
  const again = await sendAgain(results, send);
  const observed = { results, again, stored: await storedPlants(url, results) };

  print('service killed', figuresOfResults(observed));
  expect(results.filter(({ outcome }) => ![200, 'taken', 'lost', 'refused'].includes(outcome)).slice(0, 3)).toEqual([]);
  expectNothingLost(observed);
});

test('SIGTERM under load with keep-alive connections', async () => {
  const store = await startStore();
  const service = await start(store.url, '0', { SHUTDOWN_DELAY_MS: String(DELAY_MS) });
  await slowStatements(store, 200);
  const load = startLoad(RATE, newPlants(), call(service).send);
  await sleep(3_000);

  const begunAt = performance.now();
  service.process.kill('SIGTERM');
  const { refusedWhileReady, unreadyAfterMs } = await watchShutdown(service, begunAt);
  const exit = await service.ended;
  const endedAfterMs = performance.now() - begunAt;
  const results = await load.stop();
  const observed = { results, again: [], stored: await storedPlants(store.url, results) };

  const before = results.filter(({ sentAt }) => sentAt < begunAt);
  const inFlight = before.filter(({ completedAt }) => completedAt >= begunAt);
  const meanwhile = results.filter(({ sentAt }) => sentAt >= begunAt && sentAt < begunAt + DELAY_MS - 100);
  const after = results.filter(({ sentAt }) => sentAt >= begunAt + DELAY_MS - 100);
  print('SIGTERM under load', [
    `in flight ${byOutcome(inFlight)}`,
    `sent in the delay ${byOutcome(meanwhile)}`,
    `sent afterwards ${byOutcome(after)}`,
    `not ready after ${milliseconds(unreadyAfterMs)}`,
    `exit ${exit} after ${milliseconds(endedAfterMs)}`,
    `longest response ${milliseconds(longest(results))}`,
    `contradictions ${contradictions(observed).length}`,
  ]);
  expect(inFlight.length).toBeGreaterThan(0);
  expect(meanwhile.length).toBeGreaterThan(0);
  expect(results.filter((result) => result.sentAt < begunAt + DELAY_MS - 100 && !isDecided(result))).toEqual([]);
  // A client that ignores readiness may be cut off when the listener closes.
  expect(after.filter(({ outcome }) => ![200, 'taken', 503, 'refused', 'lost'].includes(outcome))).toEqual([]);
  expectNothingLost(observed);
  expect(exit).toBe(0);
  expect(endedAfterMs).toBeLessThanOrEqual(ENDS_WITHIN_MS);
  expect(refusedWhileReady, 'refused a connection while ready').toBe(false);
});

test('two instances are replaced one after the other under load', async () => {
  const { url } = await startStore();
  const begin = () => start(url, '0', { SHUTDOWN_DELAY_MS: String(DELAY_MS) });
  const rotation = await rotate([await begin(), await begin()]);
  onTestFinished(rotation.close);
  const load = startLoad(RATE, newPlants(), rotation.send);
  await sleep(2_000);
  for (const old of rotation.instances()) {
    rotation.add(await begin());
    await sleep(1_000);
    old.process.kill('SIGTERM');
    expect(await old.ended).toBe(0);
    rotation.remove(old);
    await sleep(1_000);
  }
  const results = await load.stop();
  const observed = { results, again: [], stored: await storedPlants(url, results) };

  print('two instances replaced', [...figuresOfResults(observed), `retried ${rotation.retried().length}`]);
  expectAllServed(results);
  expect(rotation.retried(), 'retried').toEqual([]);
  expectNothingLost(observed);
});
