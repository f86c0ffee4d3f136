import type { Contestant } from '../contestants/contestant.ts';
import type { Load } from '../load/load.ts';
import { progress } from '../progress.ts';
import type { Resources } from '../resources.ts';
import type { Sample } from '../samples.ts';
import { closedLoad, type Settings } from '../settings.ts';
import type { Table } from '../stores/table.ts';
import { scenarioName } from './comparison.ts';
import { measure, onNewTable, type Scenario } from './measure.ts';

const CONNECTIONS = 64;

/** Larger tables, then an empty one under other loads: each differs in one thing from 64 connections on an empty table. */
export async function measureGrowth(
  contestants: readonly Contestant[],
  settings: Settings,
  resources: Resources,
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  const filled = new Map<string, Table>();
  try {
    for (let round = 1; round <= settings.rounds; round += 1) {
      for (const contestant of contestants) {
        for (const { rows, ...scenario } of casesOf(settings)) {
          const take = (table: Table | undefined) =>
            measure(contestant, table, { resources, warmUp: warmUpFor(rows, settings), scenarios: [scenario], round });
          samples.push(
            ...(rows === 0
              ? await onNewTable(contestant, resources, take)
              : await take(await settled(await filledTable(contestant, rows, resources, filled)))),
          );
        }
      }
    }
  } finally {
    for (const table of filled.values()) await table.drop();
  }
  return samples;
}

/**
 * After a checkpoint, which dropping the previous database causes, nearly every insert of a random id into a large index
 * writes a full page image to the WAL. That ends once every page has been written, and returns with the next checkpoint
 * minutes later; a short measurement would see only that phase.
 */
const FILLED_WARM_UP_SECONDS = 15;

function warmUpFor(rows: number, settings: Settings): Load {
  const { warmUpSeconds } = settings;
  const seconds = rows === 0 ? warmUpSeconds : Math.max(warmUpSeconds, FILLED_WARM_UP_SECONDS);
  return { ...closedLoad(settings, CONNECTIONS), seconds };
}

export function rowsName(rows: number): string {
  return rows === 0 ? 'empty table' : `${rows.toLocaleString('en')} rows`;
}

interface Case extends Scenario {
  /** Rows in the table at the start. */
  readonly rows: number;
}

function casesOf(settings: Settings): readonly Case[] {
  const load = closedLoad(settings, CONNECTIONS);
  const onEmpty = (name: string, change: Partial<Scenario['load']>) => ({
    name,
    rows: 0,
    load: { ...load, ...change },
  });
  return [
    ...settings.rows.map((rows) => ({ name: rowsName(rows), rows, load })),
    ...[1, 8, 256, 1_000].map((connections) => onEmpty(scenarioName(connections), { connections })),
    ...[10, 1_000, 10_000, 100_000].map((nameBytes) =>
      onEmpty(`names of ${nameBytes.toLocaleString('en')} bytes`, { nameBytes }),
    ),
    onEmpty('10 % duplicates', { duplicates: 0.1 }),
    onEmpty('with one slow client', { slowClients: 1 }),
  ];
}

async function settled(table: Table): Promise<Table> {
  await table.settle();
  return table;
}

/** Filled once and used in every round: a round adds few rows in comparison. */
async function filledTable(
  { name, engine }: Contestant,
  rows: number,
  resources: Resources,
  filled: Map<string, Table>,
): Promise<Table> {
  if (engine === undefined) throw new Error(`${name} has no table to fill; exclude it with --only`);
  const key = `${engine} ${rows}`;
  const found = filled.get(key);
  if (found) return found;
  progress(`filling a ${engine} table with ${rowsName(rows)}`);
  const table = await resources.newTable(engine);
  filled.set(key, table);
  await table.fill(rows);
  return table;
}
