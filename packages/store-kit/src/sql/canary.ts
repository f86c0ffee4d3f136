import { optionalTextFields, StoreMisconfigured, textFields } from '@plant-store/domain';
import type { Kysely } from 'kysely';
import { type Database, type PlantRow, plantColumns } from '../rows.ts';
import type { SqlDatabase } from './database.ts';

/**
 * Writes plants with extreme values, reads them back and rolls back. A table that changes, hides, ignores or refuses them shows itself,
 * unless it treats other plants differently. A table may refuse some plants, but not all.
 *
 * @param taken an id that is taken. Constraints are checked before the conflict, so it shows whether they allow such ids.
 * @throws {StoreMisconfigured} with what happened to a plant; the driver's error if nothing can be written.
 */
export async function assertStoresPlants(
  database: SqlDatabase,
  canaries: readonly PlantRow[],
  taken?: bigint,
): Promise<void> {
  try {
    await assertStored(database, canaries);
  } catch (error) {
    if (database.errors.classify(error) !== 'refused') throw error;
    const plain = canaries.slice(-1).map((row) => ({ ...row, id: taken ?? row.id }));
    await assertSomeStored(database, [...canaries, ...plain]);
  }
}

async function assertSomeStored(database: SqlDatabase, rows: readonly PlantRow[]): Promise<void> {
  const refusals: unknown[] = [];
  for (const row of rows)
    await assertStored(database, [row]).catch((error: unknown) => {
      if (database.errors.classify(error) !== 'refused') throw error;
      refusals.push(error);
    });
  if (refusals.length === rows.length)
    throw unfit(`it refuses every plant: ${database.errors.translate(refusals.at(-1)).message}`);
}

async function assertStored(database: SqlDatabase, rows: readonly PlantRow[]): Promise<void> {
  const { db } = database;
  const transaction = await db.startTransaction().execute();
  const inserted = await assertSame(database, transaction, rows).finally(() =>
    // On a lost connection there is nothing to roll back.
    transaction
      .rollback()
      .execute()
      .catch(() => {}),
  );
  if (inserted.length > 0 && (await readRows(db, inserted)).length > 0)
    throw unfit('it keeps plants that were rolled back, so a crash may leave parts of a batch');
}

/** Inserts the rows and reads them back. @returns the ids of those that were inserted. */
async function assertSame(
  database: SqlDatabase,
  db: Kysely<Database>,
  rows: readonly PlantRow[],
): Promise<readonly bigint[]> {
  const inserted = await database.insert(db, rows);
  const ids = rows.map(({ id }) => id);
  const found = new Map((await readRows(db, ids)).map((row) => [row.id, row]));
  for (const row of rows) {
    const same = found.get(row.id);
    if (!same)
      throw unfit(
        inserted.includes(row.id)
          ? `it hides or deletes the plant ${row.id}: check its policies and triggers`
          : 'it ignores plants: check its triggers and rules',
      );
    // Another one with its id.
    if (!inserted.includes(row.id)) continue;
    const changed = plantColumns.find((column) => same[column] !== row[column]);
    if (changed)
      throw unfit(
        `its column ${changed} changes ${show(row[changed])} to ${show(same[changed])}: check its type, and the triggers`,
      );
  }
  return inserted;
}

const readRows = (db: Kysely<Database>, ids: readonly bigint[]) =>
  db.selectFrom('plants').select(plantColumns).where('id', 'in', ids).execute();

const show = (value: unknown) => (typeof value === 'string' ? JSON.stringify(value.slice(0, 20)) : String(value));

const unfit = (reason: string) =>
  new StoreMisconfigured(`the table plants cannot store plants, or not as they are: ${reason}`);

/**
 * Creates plants with ids near the limits, and a plain one with an ordinary id, which most constraints allow. The ids are random, so that
 * services that share a database rarely write the same ones. A service keeps its own, because new ones would touch other pages of the
 * index in each probe.
 */
export function createCanaries(): readonly PlantRow[] {
  const random = BigInt(Math.floor(Math.random() * 2 ** 31));
  const plain = Object.fromEntries(textFields.map((field) => [field, 'plain']));
  const absent = Object.fromEntries(optionalTextFields.map((field) => [field, null]));
  const extreme = texts.map((text, at) => {
    const distance = random * BigInt(texts.length) + BigInt(at);
    const id = at % 2 === 0 ? -(2n ** 63n) + distance : 2n ** 63n - 1n - distance;
    return { id, ...Object.fromEntries(textFields.map((field) => [field, text])) };
  });
  return [...extreme, { id: random + 1n, ...plain, ...absent }] as unknown as readonly PlantRow[];
}

const texts = [
  '',
  '007',
  'trailing  ',
  '\' \\ % " ` \u0001\n\t',
  'é e\u0301 ß İ',
  '\u{1F331}\u{10FFFF}',
  'x'.repeat(10_000),
];
