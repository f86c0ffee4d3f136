import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { SHUTDOWN_MS } from '../../src/serve/index.ts';
import { contradictions, isUndecided, newPlants, plantsInFile, type Result, startLoad } from '../load.ts';
import { beginService, listening, startService } from '../running-service.ts';
import { mountDisk } from './disk.ts';
import { slowDown, startStore, storedIn } from './postgres-store.ts';
import { byOutcome, longest, milliseconds, print, RESPONDED_WITHIN_MS } from './under-fault.ts';

/** For a busy machine. */
const SLACK_MS = 1_500;

/** Fewer for a quick run: `FAULTS_STOPS`. */
const STOPS = Number(process.env['FAULTS_STOPS'] ?? 12);

const nothing = () => {};

test.each(['PostgreSQL', 'PostgreSQL that hangs', 'SQLite', 'SQLite on a full disk'])(
  `SIGTERM at ${STOPS} random moments ends the service in time, and loses nothing: %s`,
  { timeout: 900_000 },
  async (title) => {
    const postgres = await startStore();
    const disk = await mountDisk(async () => {});
    const path = join(disk.directory, 'plants.db');
    const usesFile = title.startsWith('SQLite');
    const stored = async (results: readonly Result[]) => {
      if (!usesFile) return storedIn(postgres.url, results);
      const ids = new Set(results.map(({ plant }) => plant.id));
      return new Map([...plantsInFile(path)].filter(([id]) => ids.has(id)));
    };
    const [begin, repair] = {
      'PostgreSQL that hangs': [postgres.server.pause, postgres.server.resume] as const,
      'SQLite on a full disk': [disk.fill, disk.empty] as const,
    }[title] ?? [nothing, nothing];
    for (let at = 0; at < STOPS; at += 1) {
      const delayMs = at % 2 === 0 ? 0 : 300;
      const DATABASE_URL = usesFile ? `sqlite:${path}` : postgres.url;
      const process = beginService({ DATABASE_URL, SHUTDOWN_DELAY_MS: `${delayMs}` });
      onTestFinished(() => void process.process.kill('SIGKILL'));
      // Every third is stopped while it starts.
      const service = at % 3 === 0 ? undefined : await listening(process);
      const load = startLoad(() => service?.url ?? '', service ? 300 : 0);
      const moment = Math.random() * 2_000;
      await sleep(moment);
      await begin();
      const signalledAt = performance.now();
      process.process.kill('SIGTERM');
      const exit = await process.ended;
      const endedAfterMs = performance.now() - signalledAt;
      await repair();
      const results = await load.stop();
      const figures = [`exit ${exit} after ${milliseconds(endedAfterMs)}`, byOutcome(results)];
      print(`${title}, after ${milliseconds(moment)}`, figures);
      expect(endedAfterMs).toBeLessThanOrEqual(delayMs + SHUTDOWN_MS + SLACK_MS);
      // Before it handles signals, the default action ends it.
      expect(service ? [0] : [0, 'SIGTERM']).toContain(exit);
      if (service) expect(contradictions(results, [], await stored(results))).toEqual([]);
    }
  },
);

/** Time to store a plant, so slow that two cores send ten times the capacity and have half of their time left. */
const PLANT_MS = 20;

/** Load, service and server share the machine. */
const REJECTED_WITHIN_MS = 100;

test('ten times the capacity: admitted requests stay fast, and the rest is rejected at once', async () => {
  const { url } = await startStore();
  const service = await startService({ DATABASE_URL: url });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  await slowDown(url, PLANT_MS);
  const next = newPlants();
  const all: Result[] = [];
  const stored: number[] = [];
  for (const times of [0.8, 2, 10, 0.8]) {
    const load = startLoad(() => service.url, (times * 1_000) / PLANT_MS, next);
    await sleep(12_000);
    const results = await load.stop();
    // The first batches are as large as any. Until they show how long they take, more is admitted than can be written in time.
    const later = results.slice(results.length / 3);
    const [accepted, rejected] = [later.filter((each) => !isUndecided(each)), later.filter(isUndecided)];
    const [decidedMs, rejectedMs] = [longest(accepted, 0.9), longest(rejected, 0.5)];
    const figures = [`decided in ${milliseconds(decidedMs)}`, `503 in ${milliseconds(rejectedMs)}`];
    print(`overload, ${times}×`, [byOutcome(results), ...figures]);
    expect(decidedMs, 'admitted').toBeLessThanOrEqual(RESPONDED_WITHIN_MS);
    expect(rejectedMs, 'rejected').toBeLessThanOrEqual(REJECTED_WITHIN_MS);
    if (times < 1) expect(rejected).toEqual([]);
    all.push(...results);
    stored.push(accepted.length);
  }
  expect(all.filter((result) => isUndecided(result) && result.outcome !== '503')).toEqual([]);
  expect(contradictions(all, [], await storedIn(url, all))).toEqual([]);
  expect(stored[2], 'stored at ten times').toBeGreaterThan(stored[0] ?? 0);
});
