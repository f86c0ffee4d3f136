import { type NewPlant, type Plant, plantOf, textFields } from '@plant-store/domain';
import { CompiledQuery, type Kysely } from 'kysely';
import type { Schema } from './schema.ts';

const columns = ['id', ...textFields].join(', ');

/** Inserts those whose ids are free, and returns these ids. The statement is the same for any number of plants. */
export async function insert(db: Kysely<Schema>, plants: readonly NewPlant[]): Promise<ReadonlySet<bigint>> {
  const { rows } = await db.executeQuery<{ id: bigint }>(CompiledQuery.raw(insertMany, [jsonOf(plants)]));
  return new Set(rows.map(({ id }) => id));
}

const insertMany = `insert into plants (${columns})
  select value ->> 0, ${textFields.map((_, at) => `value ->> ${at + 1}`).join(', ')} from json_each(?) where true
  on conflict (id) do nothing returning id`;

/** Built by hand, because JSON.stringify refuses bigints: JSON itself has integers of any size. */
function jsonOf(plants: readonly NewPlant[]): string {
  const rows = plants.map(
    (plant) => `[${[plant.id, ...textFields.map((field) => JSON.stringify(plant[field] ?? null))].join()}]`,
  );
  return `[${rows.join()}]`;
}

/** Those of the plants whose ids are taken, as they are stored. */
export async function read(db: Kysely<Schema>, plants: readonly NewPlant[]): Promise<ReadonlyMap<bigint, Plant>> {
  const ids = `[${plants.map(({ id }) => id).join()}]`;
  const { rows } = await db.executeQuery<Schema['plants']>(CompiledQuery.raw(readMany, [ids]));
  return new Map(rows.map((row) => [row.id, plantOf(row)]));
}

const readMany = `select ${columns} from plants where id in (select value from json_each(?))`;

/**
 * Fails whenever an add would because the file is locked, read-only, damaged or not migrated: it runs an add's
 * statement with no plants, which takes the write lock, but writes and syncs nothing. So a full disk shows in adds
 * alone.
 */
export async function checkCanAdd(db: Kysely<Schema>): Promise<void> {
  await insert(db, []);
}
