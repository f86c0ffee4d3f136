import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../running-service.ts';
import { type Answer, openCaller } from './caller.ts';
import { startStore } from './dedicated-store.ts';
import { byOutcome, milliseconds, print, quantile } from './figures.ts';
import { startLoad } from './load.ts';
import { newPlants, type SentPlant } from './plants.ts';
import { expectNothingLost } from './promises.ts';
import { slowPlants } from './slow-store.ts';
import { storedPlants } from './stored-plants.ts';

/** What the store takes for a plant, in milliseconds: slow, so that ten times as much can be sent from one machine. */
const PLANT_MS = 4;

/** Callers that keep the store busy without making it late: what it carries. */
const BUSY_CALLERS = 50;

test('ten times what it carries: those that are let in keep their time, the rest are refused at once', async () => {
  const store = await startStore();
  const service = await startService({ DATABASE_URL: store.url });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  await slowPlants(store, PLANT_MS);
  const { send, close } = openCaller(service.url);
  onTestFinished(close);
  const next = newPlants();

  const full = await keepFull(BUSY_CALLERS, 5_000, () => send(next()));
  const carries = full.length / 5;
  const usual = await atRate(0.8 * carries, 5_000, next, send);
  const twice = await atRate(2 * carries, 8_000, next, send);
  const memory = watchMemory(service.process.pid ?? 0);
  const tenfold = await atRate(10 * carries, 15_000, next, send);
  const { firstHalf, secondHalf } = memory.stop();
  const afterwards = await atRate(0.8 * carries, 3_000, next, send);

  print('overload', [`carries ${Math.round(carries)}/s with ${BUSY_CALLERS} under way`]);
  for (const [title, answers, seconds] of [
    ['full', full, 5],
    ['0.8×', usual, 5],
    ['2×', twice, 8],
    ['10×', tenfold, 15],
    ['0.8× afterwards', afterwards, 3],
  ] as const)
    print(`overload, ${title}`, figures(answers, seconds));
  print('overload, memory', [`at most ${firstHalf} MiB in the first half of 10×, ${secondHalf} MiB in the second`]);

  const all = [full, usual, twice, tenfold, afterwards].flat();
  expect(all.filter(({ asPromised }) => !asPromised).slice(0, 3)).toEqual([]);
  expectNothingLost({ answers: all, again: [], stored: await storedPlants(store.url, all) });
  for (const answers of [full, usual, afterwards]) expect(byOutcome(answers)).toBe(`200: ${answers.length}`);
  for (const answers of [twice, tenfold]) {
    const { accepted, refused } = split(answers);
    expect(quantile(accepted, 0.99), '99 % of those let in').toBeLessThanOrEqual(quantile(full, 0.99) + QUEUE_MS);
    expect(quantile(refused, 0.99), '99 % of those refused').toBeLessThanOrEqual(REFUSED_WITHIN_MS);
  }
  expect(split(tenfold).accepted.length / 15, 'still stored a second').toBeGreaterThanOrEqual(0.8 * carries);
  expect(secondHalf, 'memory').toBeLessThanOrEqual(firstHalf + SLACK_MIB);
});

/** What may wait before the store, and half of it for the write itself, in milliseconds. */
const QUEUE_MS = 300;

/** In milliseconds; generator, service and server share the machine. */
const REFUSED_WITHIN_MS = 100;

/** What the garbage collector takes a little earlier or later. */
const SLACK_MIB = 32;

/** So many at once, the next one with each answer. */
async function keepFull(callers: number, ms: number, sendOne: () => Promise<Answer>): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  const end = performance.now() + ms;
  const caller = async () => {
    while (performance.now() < end) answers.push(await sendOne());
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return answers;
}

async function atRate(
  rate: number,
  ms: number,
  next: () => SentPlant,
  send: (plant: SentPlant) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const load = startLoad(rate, next, send);
  await sleep(ms);
  return load.stop();
}

function split(answers: readonly Answer[]) {
  return {
    accepted: answers.filter(({ outcome }) => outcome === 200),
    refused: answers.filter(({ outcome }) => outcome === 503),
  };
}

function figures(answers: readonly Answer[], seconds: number): readonly string[] {
  const { accepted, refused } = split(answers);
  const times = (some: readonly Answer[]) =>
    `${milliseconds(quantile(some, 0.5))} / ${milliseconds(quantile(some, 0.99))} / ${milliseconds(quantile(some, 1))}`;
  return [
    `${Math.round(answers.length / seconds)}/s offered`,
    `${byOutcome(answers)}`,
    `200 in ${times(accepted)} (50 % / 99 % / all)`,
    ...(refused.length > 0 ? [`503 in ${times(refused)}`] : []),
  ];
}

/** The resident memory of a process, in MiB. */
function watchMemory(pid: number) {
  const seen: number[] = [];
  const look = setInterval(() => {
    const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    seen.push(Math.round(Number(kib) / 1_024));
  }, 200);
  return {
    stop() {
      clearInterval(look);
      const half = seen.length >> 1;
      return { firstHalf: Math.max(...seen.slice(0, half)), secondHalf: Math.max(...seen.slice(half)) };
    },
  };
}
