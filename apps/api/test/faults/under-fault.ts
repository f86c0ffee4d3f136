import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { contradictions, isUndecided, newPlants, type Result, sentAgain, startLoad } from '../load.ts';
import type { RunningService } from '../running-service.ts';
import type { Breaking, Store } from './stores.ts';

/** A fault of a store. */
export interface Fault extends Store, Breaking {
  /** How long it lasts, in milliseconds. */
  readonly lastsMs: number;
  /** Requests a second. Default: 200, far below the capacity of the service. */
  readonly rate?: number | undefined;
  /** How long the load goes on after the repair, in milliseconds. Default: 4,000. */
  readonly thenMs?: number;
  /** How long after the repair a request may still fail, in milliseconds. Default: 2,500, a part of it for a busy machine. */
  readonly recoversWithinMs?: number;
  /** In characters. */
  readonly nameLength?: number | undefined;
}

/** The limit is 2 s; half a second more is for a busy machine, which also runs the load. */
export const RESPONDED_WITHIN_MS = 2_500;

/**
 * Breaks and repairs the store of a service under load, prints the figures, and checks what holds under any fault of a store:
 * every request gets a response in time, nothing acknowledged is lost, and the service recovers.
 *
 * @returns the results, each status of `/livez` and of `/readyz` from a second and a time-out after the fault until the repair, and
 *   what the last `/readyz` says.
 */
export async function underFault(
  title: string,
  { url, adminUrl }: RunningService,
  { stored, begin, repair, lastsMs, rate = 200, thenMs = 4_000, recoversWithinMs = 2_500, nameLength }: Fault,
) {
  const load = startLoad(() => url, rate, { next: newPlants(nameLength) });
  await sleep(2_000);
  await begin();
  const until = performance.now() + lastsMs;
  // P5: one second and one time-out, and half a second for a busy machine.
  await sleep(Math.min(3_500, lastsMs));
  const live = new Set<number>();
  const ready = new Set<number>();
  let reason = '';
  while (performance.now() < until) {
    live.add((await fetch(`${adminUrl}/livez`)).status);
    const readiness = await fetch(`${adminUrl}/readyz`);
    ready.add(readiness.status);
    reason = await readiness.text();
    await sleep(200);
  }
  await repair();
  const repairedAt = performance.now();
  await sleep(thenMs);
  const results = await load.stop();
  const again = await sentAgain(results, url);
  const recovery = Math.max(0, ...results.filter(isUndecided).map(({ sentAt }) => sentAt - repairedAt));
  const figures = [`longest ${milliseconds(longest(results))}`, `recovered ${milliseconds(recovery)}`];
  print(title, [byOutcome(results), ...figures]);
  // First what no busy machine excuses.
  expect(contradictions(results, again, await stored(results)).slice(0, 3)).toEqual([]);
  expect(again.filter(isUndecided), 'sent again').toEqual([]);
  expect(results.filter((result) => isUndecided(result) && result.outcome !== '503').slice(0, 3)).toEqual([]);
  expect(longest(results), 'the longest response').toBeLessThanOrEqual(RESPONDED_WITHIN_MS);
  expect(recovery, 'time to recover').toBeLessThanOrEqual(recoversWithinMs);
  return { results, live, ready, reason };
}

/** Prints one line of figures. */
export function print(title: string, figures: readonly string[]): void {
  process.stdout.write(`${title}: ${figures.join(' · ')}\n`);
}

/** `200: 1990, taken: 10` */
export function byOutcome(results: readonly Result[]): string {
  const counts = Object.entries(Object.groupBy(results, ({ outcome }) => outcome));
  return counts.map(([outcome, all]) => `${outcome}: ${all?.length}`).join(', ');
}

/** For people: `12 ms`, `1.94 s`. */
export function milliseconds(time: number): string {
  return time < 1_000 ? `${Math.round(time)} ms` : `${(time / 1_000).toFixed(2)} s`;
}

/** The longest response time, or the quantile of them, in milliseconds. */
export function longest(results: readonly Result[], quantile = 1): number {
  const times = results.map(({ sentAt, completedAt }) => completedAt - sentAt).toSorted((a, b) => a - b);
  return times[Math.ceil(times.length * quantile) - 1] ?? 0;
}
