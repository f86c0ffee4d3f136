import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@plant-store/testing-servers';
import { expect, onTestFinished, test } from 'vitest';
import { SHUTDOWN_MS } from '../../src/serve/index.ts';
import { scratchDirectory, startService, TOKEN } from '../running-service.ts';
import type { Result } from './client.ts';
import { startStore } from './dedicated-store.ts';
import { expectNothingLost } from './expectations.ts';
import { byOutcome, contradictions, milliseconds, print } from './figures.ts';
import { keepSending } from './keep-sending.ts';
import { type LogReader, logReaders, startPiped } from './log-readers.ts';
import { newPlants, type SentPlant } from './plants.ts';
import { type Random, seededRandom } from './random.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';
import { plantsInFile, storedPlants } from './stored-plants.ts';

/** For a busy machine. */
const SLACK_MS = 1_500;

/** Fewer for a quick run: `FAULTS_STOPS`. */
const STOPS = Number(process.env['FAULTS_STOPS'] ?? 50);

/** Stops while it is starting are sent within this time after its start, in milliseconds; others as late after its first response. */
const MOMENTS_MS = 2_000;

type Store = 'PostgreSQL' | 'PostgreSQL that hangs' | 'SQLite' | 'SQLite on a full disk';

/** One stop, chosen at random. */
interface Stop {
  readonly delayMs: number;
  readonly reader: LogReader;
  readonly store: Store;
  /** What is waited for before the signal. */
  readonly after: 'start' | 'first response';
  /** How long after that it is sent, in milliseconds. */
  readonly moment: number;
}

/** What came of it. */
interface Stopped {
  readonly endedAfterMs: number;
  readonly exit: number | NodeJS.Signals;
  readonly results: readonly Result[];
  readonly stored: ReadonlyMap<number, SentPlant>;
  /** Its end, without the lines of requests. */
  readonly output: string;
}

test(`SIGTERM at ${STOPS} random moments`, { timeout: 1_800_000 }, async () => {
  const seed = Number(process.env['FAULTS_SEED'] ?? randomInt(2 ** 31));
  print('SIGTERM at random moments', [`seed ${seed} (FAULTS_SEED repeats it)`]);
  const random = seededRandom(seed);
  const places = await preparePlaces();
  const stops: (Stop & Stopped)[] = [];
  for (let at = 0; at < STOPS; at += 1) {
    const stop = randomStop(random, places.disk !== undefined);
    const stopped = await tryStop(stop, places);
    stops.push({ ...stop, ...stopped });
    const { results, endedAfterMs, exit } = stopped;
    print(`  ${at + 1}`, [
      stop.store,
      `log ${stop.reader}`,
      `delay ${stop.delayMs} ms`,
      `signal ${milliseconds(stop.moment)} after ${stop.after}`,
      `exit ${exit} after ${milliseconds(endedAfterMs)}`,
      byOutcome(results) || 'no request',
    ]);
    if (exit !== 0 && exit !== 'SIGTERM') print('  output', [stopped.output]);
  }

  const all = stops.flatMap(({ results }) => results);
  const wrong = stops.flatMap(({ results, stored }) => contradictions({ results, again: [], stored }));
  const exits = Object.entries(Object.groupBy(stops, ({ exit }) => String(exit)));
  print('SIGTERM at random moments', [
    `stops ${stops.length}`,
    `longest ${milliseconds(Math.max(...stops.map(({ endedAfterMs, delayMs }) => endedAfterMs - delayMs)))} after the delay`,
    `exits ${exits.map(([exit, some]) => `${exit}: ${some?.length}`).join(', ')}`,
    `requests ${all.length}`,
    resets(all),
    `contradictions ${wrong.length}`,
  ]);
  expect(stops.filter(({ endedAfterMs, delayMs }) => endedAfterMs > delayMs + SHUTDOWN_MS + SLACK_MS)).toEqual([]);
  expect(wrong).toEqual([]);
  // Before it handles signals, the default action ends it; after a response it handles them.
  const isExpected = ({ exit, after, results }: Stop & Stopped) =>
    exit === 0 || (exit === 'SIGTERM' && after === 'start' && results.every(({ outcome }) => outcome === 'lost'));
  expect(stops.filter((stop) => !isExpected(stop)).map(describeStop)).toEqual([]);
  const whileServing = stops.filter(({ after }) => after === 'first response');
  expect(whileServing.filter(({ results }) => resetOnKept(results).length > 0).map(describeStop)).toEqual([]);
});

test.each([0, 1_000])(
  '64 clients that ignore readiness, six stops, delay %i ms',
  { timeout: 600_000 },
  async (delayMs) => {
    const { url } = await startStore();
    const all: Result[] = [];
    for (let at = 0; at < 6; at += 1) {
      const service = await startService({ DATABASE_URL: url, SHUTDOWN_DELAY_MS: String(delayMs) });
      onTestFinished(() => void service.process.kill('SIGKILL'));
      const clients = keepSending(service.url, 64, newPlants());
      await sleep(1_500);
      service.process.kill('SIGTERM');
      expect(await service.ended).toBe(0);
      const results = await clients.stop();
      expectNothingLost({ results, again: [], stored: await storedPlants(url, results) });
      all.push(...results);
    }
    print(`64 clients, delay ${delayMs} ms`, [`requests ${all.length}`, byOutcome(all), resets(all)]);
    expect(resetOnKept(all)).toEqual([]);
  },
);

function reset(results: readonly Result[]): readonly Result[] {
  return results.filter(({ outcome }) => outcome === 'lost');
}

/** A connection that is opened in the moment of the stop may be reset; those that have carried a request may not. */
function resetOnKept(results: readonly Result[]): readonly Result[] {
  return reset(results).filter(({ kept }) => kept);
}

function resets(results: readonly Result[]): string {
  return `reset ${reset(results).length}, ${resetOnKept(results).length} of them on kept connections`;
}

function describeStop({ results, stored, output, ...stop }: Stop & Stopped): object {
  return stop;
}

function randomStop({ next, pick }: Random, withDisk: boolean): Stop {
  const stores: readonly Store[] = ['PostgreSQL', 'PostgreSQL', 'PostgreSQL that hangs', 'SQLite'];
  return {
    delayMs: pick([0, 300]),
    reader: pick(logReaders),
    store: pick(withDisk ? [...stores, 'SQLite on a full disk'] : stores),
    after: pick(['start', 'first response', 'first response']),
    moment: next() * MOMENTS_MS,
  };
}

/** Where the stores are. */
interface Places {
  readonly postgres: Awaited<ReturnType<typeof startStore>>;
  readonly directory: string;
  /** Undefined where none can be mounted. */
  readonly disk: SmallDisk | undefined;
}

async function preparePlaces(): Promise<Places> {
  const postgres = await startStore();
  const directory = await scratchDirectory(onTestFinished);
  const disk = await mountSmallDisk(async () => {}).catch(({ message }: Error) => {
    print('SIGTERM at random moments', [`not run with a full disk: ${message}`]);
    return undefined;
  });
  return { postgres, directory, disk };
}

async function tryStop(stop: Stop, { postgres, directory, disk }: Places): Promise<Stopped> {
  const file = join(stop.store === 'SQLite on a full disk' && disk ? disk.directory : directory, 'plants.db');
  const usesFile = stop.store.startsWith('SQLite');
  const port = String(await freePort());
  const service = await startPiped(
    {
      PORT: port,
      ADMIN_PORT: '0',
      API_TOKENS: TOKEN,
      DATABASE_URL: usesFile ? `sqlite:${file}` : postgres.url,
      SHUTDOWN_DELAY_MS: String(stop.delayMs),
    },
    stop.reader,
  );
  onTestFinished(() => void service.process.kill('SIGKILL'));
  const clients = keepSending(`http://127.0.0.1:${port}`, 16, newPlants());
  if (stop.after === 'first response')
    await expect.poll(() => clients.results.length, { timeout: 60_000 }).toBeGreaterThan(0);
  await sleep(stop.moment);

  if (stop.store === 'PostgreSQL that hangs') await postgres.server.pause();
  if (stop.store === 'SQLite on a full disk') await disk?.fill();
  service.signalled();
  const signalledAt = performance.now();
  service.process.kill('SIGTERM');
  const exit = await service.ended;
  const endedAfterMs = performance.now() - signalledAt;
  if (stop.store === 'PostgreSQL that hangs') await postgres.server.resume();
  if (stop.store === 'SQLite on a full disk') await disk?.empty();

  const results = await clients.stop();
  const sent = new Set(results.map(({ plant }) => plant.id));
  // Other stops have left theirs there.
  const inFile = () => new Map(existsSync(file) ? [...plantsInFile(file)].filter(([id]) => sent.has(id)) : []);
  const stored = results.length === 0 ? new Map() : usesFile ? inFile() : await storedPlants(postgres.url, results);
  const lines = service.output().split('\n');
  const output = lines.filter((line) => !line.includes('"request completed"')).slice(-10);
  return { endedAfterMs, exit, results, stored, output: output.join('\n') };
}
