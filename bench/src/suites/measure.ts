import type { Contestant, RunningContestant } from '../contestants/contestant.ts';
import type { Measurement } from '../contestants/measurement.ts';
import type { Load } from '../load/load.ts';
import type { Resources } from '../resources.ts';
import type { Table } from '../stores/table.ts';

/** A load and its name in the report. */
export interface Scenario {
  readonly name: string;
  readonly load: Load;
}

/** Starts a contestant, warms it up, and stops it afterwards. */
export async function whileRunning<Result>(
  contestant: Contestant,
  table: Table | undefined,
  { generator }: Resources,
  warmUp: Load | undefined,
  use: (running: RunningContestant) => Promise<Result>,
): Promise<Result> {
  const running = await contestant.start({ table, generator });
  try {
    if (warmUp) await running.measure(warmUp);
    return await use(running);
  } finally {
    await running.stop();
  }
}

/** For a line of progress. */
export function figureOf(measurement: Measurement | undefined): string {
  return measurement ? `${Math.round(measurement.requestsPerSecond)}/s` : 'does not apply';
}

/**
 * Creates an empty table for the contestant and drops it afterwards.
 *
 * It is settled before the warm-up, not after it: after a checkpoint PostgreSQL writes a full page image to the WAL for the
 * first change of each page.
 */
export async function onNewTable<Result>(
  { engine }: Contestant,
  resources: Resources,
  use: (table: Table | undefined) => Promise<Result>,
): Promise<Result> {
  if (engine === undefined) return use(undefined);
  const table = await resources.newTable(engine);
  try {
    await table.settle();
    return await use(table);
  } finally {
    await table.drop();
  }
}
