import type { Contestant } from '../contestants/contestant.ts';
import type { Measurement } from '../contestants/measurement.ts';
import type { Load } from '../load/load.ts';
import { progress } from '../progress.ts';
import type { Resources } from '../resources.ts';
import type { Sample } from '../samples.ts';
import type { Table } from '../stores/table.ts';

/** A load and its name in the report. */
export interface Scenario {
  readonly name: string;
  readonly load: Load;
  /** Whether the scenarios after this one are of no use, by what it has shown. */
  isLast?(measurement: Measurement): boolean;
}

/**
 * Starts a contestant on the table, applies the loads in turn and stops it.
 *
 * The table is settled before the warm-up, not after it: after a checkpoint PostgreSQL writes a full page image to the WAL
 * for the first change of each page.
 */
export async function measure(
  contestant: Contestant,
  table: Table | undefined,
  { resources, warmUp, scenarios, round }: Measuring,
): Promise<readonly Sample[]> {
  await table?.settle();
  const running = await contestant.start({ table, generator: resources.generator });
  const samples: Sample[] = [];
  try {
    if (warmUp) await running.measure(warmUp);
    for (const { name, load, isLast } of scenarios) {
      const sample = await running.measure(load);
      const figure = sample ? `${Math.round(sample.requestsPerSecond)}/s` : 'does not apply';
      progress(`round ${round}, ${contestant.name}, ${name}: ${figure}`);
      if (sample) samples.push({ contestant: contestant.name, scenario: name, round, measurement: sample });
      if (sample && isLast?.(sample)) break;
    }
    return samples;
  } finally {
    await running.stop();
  }
}

export interface Measuring {
  readonly resources: Resources;
  /** Applied first and not measured, until the code is compiled and pools are filled. */
  readonly warmUp?: Load;
  readonly scenarios: readonly Scenario[];
  readonly round: number;
}

/** Creates an empty table for the contestant and drops it afterwards. */
export async function onNewTable<Result>(
  { engine }: Contestant,
  resources: Resources,
  use: (table: Table | undefined) => Promise<Result>,
): Promise<Result> {
  if (engine === undefined) return use(undefined);
  const table = await resources.newTable(engine);
  try {
    return await use(table);
  } finally {
    await table.drop();
  }
}
