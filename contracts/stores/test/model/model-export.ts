import { type Mutation, mutate, type Tools } from '@plant-store/contracts-kit';
import { type NewPlant, type Plant, type PlantExport, plantOf, StoreUnavailable } from '@plant-store/domain';
import type { StoreHarness } from '../../src/index.ts';
import type { Database } from './database.ts';
import { modelHarness } from './model-harness.ts';

/** A row of the database. */
export type Row = readonly [bigint, Plant];

/** What an export gets wrong: steps of the model in place of its own. */
export type ExportMutation = Mutation<ModelExport>;

/** A correct export, in steps that a mutant can get wrong one at a time: a snapshot, read in pages. */
class ModelExport implements PlantExport {
  readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  async *readAll(): AsyncGenerator<NewPlant, void> {
    await this.reach();
    try {
      const rows = this.rows();
      for (let at = 0; at < rows.length; at += PAGE) {
        await this.reach();
        for (const row of this.page(rows, at, at + PAGE)) yield this.returned(row);
      }
    } finally {
      await this.release();
    }
  }

  async release(): Promise<void> {}

  /** A round trip that gives up in an outage. */
  async reach(): Promise<void> {
    const late = this.database.sleep(2_000).then(() => 'late');
    if (await Promise.race([this.database.reach(), late])) throw new StoreUnavailable('no response within 2000 ms');
  }

  /** What there is, in its order. */
  rows(): readonly Row[] {
    return [...this.database.rows].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  page(rows: readonly Row[], from: number, to: number): readonly Row[] {
    return rows.slice(from, to);
  }

  returned([id, plant]: Row): NewPlant {
    return { id, ...plantOf(plant) };
  }
}

/** How many plants are read in one round trip. */
const PAGE = 100;

/** What the contract is run against. */
export function exportHarness(mutation: ExportMutation, tools: Tools): StoreHarness {
  const harness = modelHarness(() => ({}), tools);
  const prepare = async () => {
    const prepared = await harness.prepare();
    return { ...prepared, export: () => mutate(new ModelExport(prepared.database), mutation) };
  };
  return { ...harness, prepare };
}
