import { type AddResult, type NewPlant, type Plant, StoreUnavailable } from '@plant-store/domain';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isUnsupported } from './failures.ts';
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
 * Fails wherever an add would, for want of a server, a table, a privilege, or a primary: it runs the statements of one,
 * with no plants. It writes nothing, so a full disk or a standby that is waited for shows in the adds alone.
 */
export async function checkCanAdd(db: Kysely<Schema>): Promise<void> {
  await insert(db, []);
  await existing(db, []);
}

/**
 * Inserts those whose ids are free, and resolves with their ids. Nothing is done to the rows of the others, so nobody
 * waits here for a lock that somebody holds on one of them.
 */
async function insert(db: Kysely<Schema>, plants: readonly NewPlant[]): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    insert into plants (id, name, tag) ${rowsOf(plants)} on conflict (id) do nothing returning id`.execute(db);
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

/**
 * The plants that have the ids. The lock is a write: its commit waits for the standbys as the rows' own had to. Reading
 * alone would answer with a row whose wait was cancelled, and which is lost when a standby takes over.
 */
async function existing(db: Kysely<Schema>, plants: readonly NewPlant[]): Promise<[bigint, Plant][]> {
  const ids = plants.map(({ id }) => id);
  const rows = await locked(db, sql`id = any(${ids}::int8[])`).catch((error: unknown) => {
    if (isUnsupported(error)) return lockedOneByOne(db, ids);
    throw error;
  });
  return rows.map(({ id, name, tag }) => [id, tag === null ? { name } : { name, tag }]);
}

/** Citus locks rows only in a statement that concerns one of them, and refuses any other before it does anything. */
async function lockedOneByOne(db: Kysely<Schema>, ids: readonly bigint[]): Promise<Schema['plants'][]> {
  const rows: Schema['plants'][] = [];
  for (const id of ids) rows.push(...(await locked(db, sql`id = ${id}`)));
  return rows;
}

async function locked(db: Kysely<Schema>, which: RawBuilder<unknown>): Promise<Schema['plants'][]> {
  const { rows } = await sql<Schema['plants']>`
    select id, name, tag from plants where ${which} order by id for key share`.execute(db);
  return rows;
}
