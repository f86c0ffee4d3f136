import { type AddResult, type NewPlant, type Plant, StoreUnavailable } from '@plant-store/domain';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Schema } from './schema.ts';

/**
 * Adds plants, whose ids all differ, with one statement and one commit; those whose ids are taken cost one more.
 *
 * @returns the outcome of each, in the order of the plants.
 */
export async function addPlants(db: Kysely<Schema>, plants: readonly NewPlant[]): Promise<readonly AddResult[]> {
  // Every writer takes its ids in the same order: two that meet on two of them wait for one another, but never in a ring.
  const rows = plants.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return db.connection().execute(async (connection) => {
    const outcomes = new Map<bigint, AddResult>();
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const missing = rows.filter(({ id }) => !outcomes.has(id));
      for (const id of await insert(connection, missing)) outcomes.set(id, added);
      const taken = missing.filter(({ id }) => !outcomes.has(id));
      if (taken.length > 0)
        for (const [id, plant] of await existing(connection, taken)) outcomes.set(id, { outcome: 'exists', plant });
      if (outcomes.size === plants.length) return plants.map(({ id }) => outcomes.get(id) as AddResult);
    }
    throw new StoreUnavailable('plants are there and gone again: something deletes them while they are being added');
  });
}

/** A row that is taken and then gone was deleted by hand in between; three times running is no coincidence. */
const MAX_ATTEMPTS = 3;

const added: AddResult = { outcome: 'added' };

/**
 * Inserts those whose ids are free, and resolves with their ids. The rows that are there already are not changed, but
 * locked, and that is a write: its commit waits for the standbys as the rows' own had to. `DO NOTHING` would go on to
 * answer with a row whose wait was cancelled, and which is lost when a standby takes over.
 */
async function insert(db: Kysely<Schema>, plants: readonly NewPlant[]): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    insert into plants (id, name, tag) ${rowsOf(plants)}
    on conflict (id) do update set name = excluded.name where false returning id`.execute(db);
  return rows.map(({ id }) => id);
}

/** The statement is the same for any number of plants; for a single one the server is quicker without arrays. */
function rowsOf(plants: readonly NewPlant[]): RawBuilder<unknown> {
  const ids = plants.map(({ id }) => id);
  const names = plants.map(({ name }) => name);
  const tags = plants.map(({ tag = null }) => tag);
  if (plants.length === 1) return sql`values (${ids[0]}, ${names[0]}, ${tags[0]})`;
  return sql`select * from unnest(${ids}::int8[], ${names}::text[], ${tags}::text[])`;
}

/** The plants that have the ids: {@link insert} has seen to it that they stay. */
async function existing(db: Kysely<Schema>, plants: readonly NewPlant[]): Promise<[bigint, Plant][]> {
  const ids = plants.map(({ id }) => id);
  const { rows } = await sql<Schema['plants']>`select id, name, tag from plants where id = any(${ids}::int8[])`.execute(
    db,
  );
  return rows.map(({ id, name, tag }) => [id, tag === null ? { name } : { name, tag }]);
}
