import {
  type AddResult,
  type NewPlant,
  PlantRefused,
  pickPlant,
  StoreMisconfigured,
  StoreUnavailable,
  textFields,
} from '@plant-store/domain';
import type { BatchEngine } from '@plant-store/group-commit';
import type { PlantRow } from '../rows.ts';
import { assertStoresPlants, createCanaries } from './canary.ts';
import type { SqlDatabase } from './database.ts';

/** Makes the engine of a SQL database: it inserts what is free and reads what is taken. Its errors are the port's. */
export function sqlEngine(database: SqlDatabase): BatchEngine<NewPlant, AddResult> {
  const { db, errors } = database;
  const canaries = createCanaries();
  /** A plant that the table had at the latest probe. */
  let witness: bigint | undefined;
  /** A plant of the first batch that stored any, and one of the latest such batch. */
  let first: bigint | undefined;
  let latest: bigint | undefined;

  async function write(plants: readonly NewPlant[], deadline: number): Promise<readonly (AddResult | Error)[]> {
    // Writers with the same order cannot deadlock.
    const rows = plants.map(toRow).sort((a, b) => (a.id < b.id ? -1 : 1));
    const results = new Map<bigint, AddResult>();
    const insertError = await catchError(async () => {
      for (const id of await database.insert(db, rows)) results.set(id, ADDED);
    });
    if (insertError && !blamesPlant(insertError)) throw insertError;
    // A plant that is alone also after an error, because one that is stored is neither refused nor locked. Others are written again.
    const taken = insertError && rows.length > 1 ? [] : rows.flatMap(({ id }) => (results.has(id) ? [] : [id]));
    const readError = await catchError(async () => {
      if (taken.length === 0) return;
      assertInTime(deadline);
      for (const row of await database.read(taken)) results.set(row.id, { outcome: 'exists', plant: pickPlant(row) });
    });
    latest = plants.find(({ id }) => results.get(id)?.outcome === 'added')?.id ?? latest;
    first ??= latest;
    return plants.map(({ id }) => results.get(id) ?? readError ?? insertError ?? IGNORED);
  }

  function blamesPlant(error: Error): boolean {
    const failure = errors.classify(error);
    return failure === 'refused' || failure === 'locked';
  }

  async function catchError(work: () => Promise<void>): Promise<Error | undefined> {
    try {
      await work();
      return undefined;
    } catch (error) {
      return errors.translate(error);
    }
  }

  async function probe(deadline: number): Promise<void> {
    // Before the check, because plants that are stored during it may be in the table that takes the place of this one.
    const next = latest ?? witness ?? (await findLargestId());
    const steps = [
      () => database.checkSettings(),
      () => assertHas(witness ?? first),
      () => assertStoresPlants(database, canaries, next),
      () => database.commit(),
    ];
    for (const step of steps) {
      assertInTime(deadline);
      await step();
    }
    witness = next;
  }

  async function findLargestId(): Promise<bigint | undefined> {
    const row = await db.selectFrom('plants').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
    return row?.id;
  }

  async function assertHas(id: bigint | undefined): Promise<void> {
    if (id === undefined || (await db.selectFrom('plants').select('id').where('id', '=', id).executeTakeFirst()))
      return;
    throw new StoreMisconfigured(
      `the table plants lacks the plant ${id}, which it had before: if another table took its place, put the former one back, or restart the service to use this one`,
    );
  }

  return {
    write,
    probe: (deadline) =>
      probe(deadline).catch((error: unknown) => {
        // It may have been stored in what is wrong now, and be gone once that is put right.
        latest = undefined;
        throw errors.translateOwn(error);
      }),
    classify: errors.classify,
    close: () => db.destroy(),
  };
}

/** Converts a plant to its row. */
function toRow(plant: NewPlant): PlantRow {
  const row: Record<string, unknown> = { id: plant.id };
  for (const field of textFields) row[field] = plant[field] ?? null;
  return row as PlantRow;
}

/** The clock is that of group commit. */
function assertInTime(deadline: number): void {
  if (performance.now() >= deadline) throw new StoreUnavailable('the database responds too slowly');
}

const ADDED: AddResult = { outcome: 'added' };

const IGNORED = new PlantRefused('the table plants ignores or hides the plant: check its triggers and policies');
