import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type RunningService, startService } from '../running-service.ts';
import { type Caller, openCaller } from './caller.ts';
import { startStore } from './dedicated-store.ts';
import { byOutcome, figuresOfAnswers, longest, lost, milliseconds, print } from './figures.ts';
import { sendAgain, startLoad } from './load.ts';
import { newPlants } from './plants.ts';
import { expectNothingLost } from './promises.ts';
import { rotate } from './rotation.ts';
import { slowStatements } from './slow-store.ts';
import { storedPlants } from './stored-plants.ts';
import { watchShutdown } from './watch-shutdown.ts';

/** The supervisor of a container gives it so long. */
const ENDS_WITHIN_MS = 10_000;

const RATE = 300;

/** How long it goes on serving after SIGTERM. */
const DELAY_MS = 1_000;

async function start(url: string, PORT = '0', environment: Record<string, string> = {}): Promise<RunningService> {
  const service = await startService({ DATABASE_URL: url, PORT, ...environment });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  return service;
}

function call(service: RunningService): Caller {
  const caller = openCaller(service.url);
  onTestFinished(caller.close);
  return caller;
}

test('the service is killed (SIGKILL) under load and started again', async () => {
  const store = await startStore();
  const { url } = store;
  const service = await start(url);
  // So that there are always some that wait: what has gone to the server is stored, whoever dies.
  await slowStatements(store, 50);
  const { send } = call(service);
  const load = startLoad(RATE, newPlants(), send);
  await sleep(3_000);
  service.process.kill('SIGKILL');
  await service.ended;
  await start(url, new URL(service.url).port);
  await sleep(3_000);
  const answers = await load.stop();
  const again = await sendAgain(answers, send);
  const observed = { answers, again, stored: await storedPlants(url, answers) };

  print('service killed', figuresOfAnswers(observed));
  expect(answers.filter(({ outcome }) => !['200', 'lost', 'refused'].includes(String(outcome))).slice(0, 3)).toEqual(
    [],
  );
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
  const answers = await load.stop();
  const observed = { answers, again: [], stored: await storedPlants(store.url, answers) };

  const before = answers.filter(({ sentAt }) => sentAt < begunAt);
  const inFlight = before.filter(({ answeredAt }) => answeredAt >= begunAt);
  const meanwhile = answers.filter(({ sentAt }) => sentAt >= begunAt && sentAt < begunAt + DELAY_MS - 100);
  const after = answers.filter(({ sentAt }) => sentAt >= begunAt + DELAY_MS - 100);
  print('SIGTERM under load', [
    `in flight ${byOutcome(inFlight)}`,
    `sent in the delay ${byOutcome(meanwhile)}`,
    `sent afterwards ${byOutcome(after)}`,
    `not ready after ${milliseconds(unreadyAfterMs)}`,
    `exit ${exit} after ${milliseconds(endedAfterMs)}`,
    `longest answer ${milliseconds(longest(answers))}`,
    `lost ${lost(observed).length}`,
  ]);
  expect(inFlight.length).toBeGreaterThan(0);
  expect(byOutcome(before)).toBe(`200: ${before.length}`);
  expect(byOutcome(meanwhile)).toBe(`200: ${meanwhile.length}`);
  // Who goes on sending although readiness has said no may be cut off in the moment in which the listener is closed.
  expect(after.filter(({ outcome }) => ![200, 503, 'refused', 'lost'].includes(outcome))).toEqual([]);
  expectNothingLost(observed);
  expect(exit).toBe(0);
  expect(endedAfterMs).toBeLessThanOrEqual(ENDS_WITHIN_MS);
  expect(refusedWhileReady, 'refused a connection although its readiness said yes').toBe(false);
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
  const answers = await load.stop();
  const observed = { answers, again: [], stored: await storedPlants(url, answers) };

  print('two instances replaced', [...figuresOfAnswers(observed), `sent a second time ${rotation.retried()}`]);
  expect(byOutcome(answers)).toBe(`200: ${answers.length}`);
  expect(rotation.retried(), 'sent a second time').toBe(0);
  expectNothingLost(observed);
});
