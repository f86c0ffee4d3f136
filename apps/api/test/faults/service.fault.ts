import { setTimeout as sleep } from 'node:timers/promises';
import { runSql } from '@plant-store/testing/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { contradictions, isUndecided, newPlants, type Result, startLoad } from '../load.ts';
import { beginService, listening, startService } from '../running-service.ts';
import { startPostgres, stores } from './stores.ts';
import { byOutcome, longest, milliseconds, print, RESPONDED_WITHIN_MS } from './under-fault.ts';

/** P9: 7 s after the delay. The rest is for a busy machine. */
const SHUTDOWN_MS = 8_000;

/** Fewer for a quick run: `FAULTS_STOPS`. */
const STOPS = Number(process.env['FAULTS_STOPS'] ?? 12);

test.each([
  ['P9/F1', 'SIGTERM', 'PostgreSQL', stores.intact],
  ['P9/F1 P9/F3', 'SIGTERM', 'PostgreSQL that hangs', stores.frozen],
  ['P9/F1', 'SIGTERM', 'SQLite on a full disk', stores.fileOnFullDisk],
  ['P1/F1', 'SIGKILL', 'PostgreSQL', stores.intact],
] as const)(
  `%s %s at ${STOPS} random moments ends the service in time, and loses nothing: %s`,
  { timeout: 900_000 },
  async (_, signal, title, start) => {
    const { url: DATABASE_URL, stored, begin, repair } = await start();
    for (let at = 0; at < STOPS; at += 1) {
      const delayMs = at % 2 === 0 ? 0 : 300;
      using process = beginService({ DATABASE_URL, SHUTDOWN_DELAY_MS: `${delayMs}` });
      // Every third is stopped while it starts.
      const service = at % 3 === 0 ? undefined : await listening(process);
      const load = startLoad(() => service?.url ?? '', service ? 300 : 0);
      const moment = Math.random() * 2_000;
      await sleep(moment);
      await begin();
      const signalledAt = performance.now();
      const exit = await process.stop(signal);
      const endedAfterMs = performance.now() - signalledAt;
      await repair();
      const results = await load.stop();
      const figures = [`exit ${exit} after ${milliseconds(endedAfterMs)}`, byOutcome(results)];
      print(`${signal}, ${title}, after ${milliseconds(moment)}`, figures);
      expect(endedAfterMs).toBeLessThanOrEqual(delayMs + SHUTDOWN_MS);
      // Before it handles SIGTERM, the default action ends it.
      expect(signal === 'SIGKILL' || !service ? [0, signal] : [0]).toContain(exit);
      if (service) expect(contradictions(results, [], await stored(results))).toEqual([]);
    }
  },
);

test('P9/F1 instances behind a load balancer are replaced under load, without a failed request', async () => {
  const begin = () => startService({ DATABASE_URL: 'memory:', SHUTDOWN_DELAY_MS: '4000' });
  using one = await begin();
  using other = await begin();
  const instances = [one, other];
  let ready = [...instances];
  const probes = setInterval(async () => {
    const statuses = await Promise.all(instances.map(({ adminUrl }) => fetch(`${adminUrl}/readyz`).catch(() => {})));
    ready = instances.filter((_, at) => statuses[at]?.status === 200);
  }, 200);
  onTestFinished(() => clearInterval(probes));
  let turn = 0;
  const load = startLoad(() => ready[turn++ % ready.length]?.url ?? '', 50);
  expect(await one.stop()).toBe(0);
  using next = await begin();
  instances.push(next);
  await expect.poll(() => ready, { timeout: 20_000 }).toContain(next);
  expect(await other.stop()).toBe(0);
  expect((await load.stop()).filter(isUndecided)).toEqual([]);
});

/** Time to store a plant, so slow that two cores send ten times the capacity and have half of their time left. */
const PLANT_MS = 20;

/** Load, service and server share the machine. */
const REJECTED_WITHIN_MS = 100;

test('P4/F9 P6/F9 ten times the capacity: admitted requests stay fast, and the rest is rejected at once', async () => {
  const { url, stored } = await startPostgres();
  using service = await startService({ DATABASE_URL: url });
  await runSql(
    url,
    `CREATE FUNCTION be_slow() RETURNS trigger LANGUAGE plpgsql
     AS 'BEGIN PERFORM pg_sleep(${PLANT_MS / 1_000}); RETURN NEW; END';
     CREATE TRIGGER slow BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION be_slow()`,
  );
  const next = newPlants();
  const all: Result[] = [];
  const accepted: number[] = [];
  for (const times of [0.8, 2, 10, 0.8]) {
    const load = startLoad(() => service.url, (times * 1_000) / PLANT_MS, { next });
    await sleep(12_000);
    const results = await load.stop();
    // The first batches are as large as any. Until they show how long they take, more is admitted than can be written in time.
    const later = results.slice(results.length / 3);
    const rejected = later.filter(isUndecided);
    const decided = later.filter((each) => !isUndecided(each));
    const [decidedMs, rejectedMs] = [longest(decided, 0.9), longest(rejected, 0.5)];
    const figures = [`decided in ${milliseconds(decidedMs)}`, `503 in ${milliseconds(rejectedMs)}`];
    print(`overload, ${times}×`, [byOutcome(results), ...figures]);
    expect(decidedMs, 'admitted').toBeLessThanOrEqual(RESPONDED_WITHIN_MS);
    expect(rejectedMs, 'rejected').toBeLessThanOrEqual(REJECTED_WITHIN_MS);
    if (times < 1) expect(rejected).toEqual([]);
    all.push(...results);
    accepted.push(decided.length);
  }
  expect(all.filter((result) => isUndecided(result) && result.outcome !== '503')).toEqual([]);
  expect(contradictions(all, [], await stored(all))).toEqual([]);
  expect(accepted[2], 'stored at ten times').toBeGreaterThan(accepted[0] ?? 0);
});
