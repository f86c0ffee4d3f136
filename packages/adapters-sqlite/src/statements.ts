import { type AddResult, type NewPlant, type Plant, plantOf } from '@plant-store/domain';
import { type Kysely, sql } from 'kysely';
import type { Schema } from './schema.ts';

/**
 * Adds plants, whose ids all differ, with one statement and one commit; those whose ids are taken cost a read more.
 *
 * @returns the outcome of each, in the order of the plants.
 */
export async function addPlants(db: Kysely<Schema>, plants: readonly NewPlant[]): Promise<readonly AddResult[]> {
  const free = await insert(db, plants);
  const taken = plants.filter(({ id }) => !free.has(id));
  if (taken.length === 0) return plants.map(() => added);

  // Reading is enough, nothing need be written before it is answered: in this file whatever can be read is synced.
  // A commit is shown to readers after its sync (synchronous = FULL); `database-file.ts` sees to the one exception.
  const existing = await read(db, taken);
  const gone = taken.filter(({ id }) => !existing.has(id));
  // Between the two statements somebody deleted plants by hand: their ids are free again.
  const again = new Map(
    (await (gone.length > 0 ? addPlants(db, gone) : [])).map((result, at) => [gone[at]?.id, result]),
  );
  return plants.map(({ id }) => {
    const plant = existing.get(id);
    return plant ? { outcome: 'exists', plant } : (again.get(id) ?? added);
  });
}

const added: AddResult = { outcome: 'added' };

/** Inserts those whose ids are free, and tells which. The statement is the same for any number of them. */
async function insert(db: Kysely<Schema>, plants: readonly NewPlant[]): Promise<ReadonlySet<bigint>> {
  // Put together by hand, because JSON.stringify refuses bigints: JSON itself has integers of any size.
  const rows = plants
    .map(({ id, name, tag = null }) => `[${id},${JSON.stringify(name)},${JSON.stringify(tag)}]`)
    .join();
  const inserted = await sql<{ id: bigint }>`
    insert into plants (id, name, tag)
    select value ->> 0, value ->> 1, value ->> 2 from json_each(${`[${rows}]`}) where true
    on conflict (id) do nothing returning id`.execute(db);
  return new Set(inserted.rows.map(({ id }) => id));
}

async function read(db: Kysely<Schema>, plants: readonly NewPlant[]): Promise<ReadonlyMap<bigint, Plant>> {
  const ids = `[${plants.map(({ id }) => id).join()}]`;
  const { rows } = await sql<Schema['plants']>`
    select id, name, tag from plants where id in (select value from json_each(${ids}))`.execute(db);
  return new Map(rows.map((row) => [row.id, plantOf(row)]));
}
