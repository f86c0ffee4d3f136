import { type NewPlant, type Plant, plantOf } from '@plant-store/domain';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isUnsupported } from './errors.ts';
import type { Schema } from './schema.ts';

/**
 * Inserts those whose ids are free, and resolves with their ids. It waits for whoever else is inserting, changing or
 * deleting one of them, but where that takes longer than {@link LOCK_TIMEOUT_MS} it fails with 55P03, and nothing is
 * inserted.
 */
export async function insert(db: Kysely<Schema>, plants: readonly NewPlant[]): Promise<bigint[]> {
  const source = plants.length === 1 ? rowOf(plants) : rowsOf(plants);
  // In the statement, since its commit ends the setting again: a session behind a pooler belongs to others as well.
  const limit = sql`where (select set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true)) is not null`;
  const { rows } = await sql<{ id: bigint }>`
    insert into plants (id, name, tag) ${source} ${limit} on conflict (id) do nothing returning id`.execute(db);
  return rows.map(({ id }) => id);
}

/** 50 ms: many times what another's commit takes, and neighbours hardly notice. */
const LOCK_TIMEOUT_MS = 50;

/** The statement is the same for any number of plants. */
function rowsOf(plants: readonly NewPlant[]): RawBuilder<unknown> {
  const names = plants.map(({ name }) => name);
  const tags = plants.map(({ tag = null }) => tag);
  return sql`select * from unnest(${idsOf(plants)}::int8[], ${names}::text[], ${tags}::text[])`;
}

/** For a single one the server is quicker without arrays. */
function rowOf([plant]: readonly NewPlant[]): RawBuilder<unknown> {
  return sql`select ${plant?.id}::int8, ${plant?.name}::text, ${plant?.tag ?? null}::text`;
}

/** Those whose ids no row has, as far as can be told without waiting. Reading is no promise: no answer may rest on it. */
export async function notThere(db: Kysely<Schema>, plants: readonly NewPlant[]): Promise<readonly NewPlant[]> {
  const { rows } = await sql<{ id: bigint }>`select id from plants where id = any(${idsOf(plants)}::int8[])`.execute(
    db,
  );
  const there = new Set(rows.map(({ id }) => id));
  return plants.filter(({ id }) => !there.has(id));
}

/**
 * The plants that have the ids, without those that somebody is changing or deleting. The lock is a write: its commit waits
 * for the standbys as the rows' own had to. Reading alone would answer with a row whose wait was cancelled, and which is
 * lost when a standby takes over.
 */
export async function lockUnlessHeld(
  db: Kysely<Schema>,
  plants: readonly NewPlant[],
): Promise<ReadonlyMap<bigint, Plant>> {
  const ids = idsOf(plants);
  const rows = await locked(db, sql`id = any(${ids}::int8[])`).catch((error: unknown) => {
    if (isUnsupported(error)) return lockedOneByOne(db, ids);
    throw error;
  });
  return new Map(rows.map((row) => [row.id, plantOf(row)]));
}

/** Citus locks rows only in a statement that concerns one of them, and refuses any other before it does anything. */
async function lockedOneByOne(db: Kysely<Schema>, ids: readonly bigint[]): Promise<Schema['plants'][]> {
  const rows: Schema['plants'][] = [];
  for (const id of ids) rows.push(...(await locked(db, sql`id = ${id}`)));
  return rows;
}

async function locked(db: Kysely<Schema>, which: RawBuilder<unknown>): Promise<Schema['plants'][]> {
  const { rows } = await sql<Schema['plants']>`
    select id, name, tag from plants where ${which} order by id for key share skip locked`.execute(db);
  return rows;
}

function idsOf(plants: readonly NewPlant[]): readonly bigint[] {
  return plants.map(({ id }) => id);
}

/**
 * Fails wherever an add would, for want of a server, a table, a privilege, or a primary: it runs the statements of one,
 * with no plants. It writes nothing, so a full disk or a standby that is waited for shows in the adds alone.
 */
export async function checkCanAdd(db: Kysely<Schema>): Promise<void> {
  await insert(db, []);
  await lockUnlessHeld(db, []);
}
