import { type NewPlant, type Plant, plantOf, textFields } from '@plant-store/domain';
import { CompiledQuery, type Kysely } from 'kysely';
import { isUnsupported } from './errors.ts';
import type { Schema } from './schema.ts';

/**
 * Inserts those whose ids are free, and resolves with their ids. It waits for whoever else is inserting, changing or
 * deleting one of them, but where that takes longer than {@link LOCK_TIMEOUT_MS} it fails with 55P03, and nothing is
 * inserted.
 */
export async function insert(db: Kysely<Schema>, plants: readonly NewPlant[]): Promise<readonly bigint[]> {
  const [plant] = plants;
  const { rows } = await db.executeQuery<{ id: bigint }>(
    plant && plants.length === 1
      ? CompiledQuery.raw(insertOne, [plant.id, ...textFields.map((field) => plant[field] ?? null)])
      : CompiledQuery.raw(insertMany, [
          idsOf(plants),
          ...textFields.map((field) => plants.map((each) => each[field] ?? null)),
        ]),
  );
  return rows.map(({ id }) => id);
}

/** 50 ms: many times what another's commit takes, and neighbours hardly notice. */
const LOCK_TIMEOUT_MS = 50;

const columns = ['id', ...textFields];

/** The statement is the same for any number of plants. */
const insertMany = insertFrom(
  `* from unnest($1::int8[], ${textFields.map((_, at) => `$${at + 2}::text[]`).join(', ')})`,
);

/** For a single one the server is quicker without arrays. */
const insertOne = insertFrom(`$1::int8, ${textFields.map((_, at) => `$${at + 2}::text`).join(', ')}`);

/** The limit stands in the statement, since its commit ends the setting again: a session behind a pooler is not ours. */
function insertFrom(source: string): string {
  return `insert into plants (${columns.join(', ')}) select ${source}
    where (select set_config('lock_timeout', '${LOCK_TIMEOUT_MS}', true)) is not null
    on conflict (id) do nothing returning id`;
}

/** Those whose ids no row has, as far as can be told without waiting. Reading is no promise: no answer may rest on it. */
export async function notStored(db: Kysely<Schema>, plants: readonly NewPlant[]): Promise<readonly NewPlant[]> {
  const { rows } = await db.executeQuery<{ id: bigint }>(
    CompiledQuery.raw('select id from plants where id = any($1::int8[])', [idsOf(plants)]),
  );
  const stored = new Set(rows.map(({ id }) => id));
  return plants.filter(({ id }) => !stored.has(id));
}

/**
 * The plants that have the ids, without those that somebody is changing or deleting. The lock is a write: its commit waits
 * for the standbys as the rows' own had to. Reading alone would answer with a row whose wait was cancelled, and which is
 * lost when a standby takes over.
 */
export async function lockSkipLocked(
  db: Kysely<Schema>,
  plants: readonly NewPlant[],
): Promise<ReadonlyMap<bigint, Plant>> {
  const ids = idsOf(plants);
  const rows = await locked(db, lockMany, ids).catch((error: unknown) => {
    if (isUnsupported(error)) return lockedOneByOne(db, ids);
    throw error;
  });
  return new Map(rows.map((row) => [row.id, plantOf(row)]));
}

/** Citus locks rows only in a statement that concerns one of them, and refuses any other before it does anything. */
async function lockedOneByOne(db: Kysely<Schema>, ids: readonly bigint[]): Promise<readonly Schema['plants'][]> {
  const rows: Schema['plants'][] = [];
  for (const id of ids) rows.push(...(await locked(db, lockOne, id)));
  return rows;
}

const lockMany = lockWhere('id = any($1::int8[])');
const lockOne = lockWhere('id = $1');

function lockWhere(condition: string): string {
  return `select ${columns.join(', ')} from plants where ${condition} order by id for key share skip locked`;
}

async function locked(db: Kysely<Schema>, text: string, parameter: unknown): Promise<readonly Schema['plants'][]> {
  return (await db.executeQuery<Schema['plants']>(CompiledQuery.raw(text, [parameter]))).rows;
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
  await lockSkipLocked(db, []);
}
