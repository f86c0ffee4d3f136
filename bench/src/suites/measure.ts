import type { Contestant } from '../contestants/contestant.ts';
import type { Load } from '../load/load.ts';
import { progress } from '../progress.ts';
import type { Resources } from '../resources.ts';
import type { Sample } from '../samples.ts';
import type { Table } from '../stores/table.ts';

/** A load by the name under which it stands in the report. */
export interface Scenario {
  readonly name: string;
  readonly load: Load;
}

/**
 * Starts a contestant on the table, applies the loads in turn, and stops it.
 *
 * The table is settled before the warm-up and not between it and what is measured: behind a checkpoint PostgreSQL
 * writes every page that it touches for the first time to its log as a whole.
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
    for (const { name, load } of scenarios) {
      const sample = await running.measure(load);
      const figure = sample ? `${Math.round(sample.requestsPerSecond)}/s` : 'does not apply';
      progress(`round ${round}, ${contestant.name}, ${name}: ${figure}`);
      if (sample) samples.push({ contestant: contestant.name, scenario: name, round, measurement: sample });
    }
    return samples;
  } finally {
    await running.stop();
  }
}

export interface Measuring {
  readonly resources: Resources;
  /** Applied first and thrown away: compilers and pools take their time. */
  readonly warmUp?: Load;
  readonly scenarios: readonly Scenario[];
  readonly round: number;
}

/** Makes an empty table of the contestant's own, for as long as it is used. */
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
