import { type NewPlant, type Plant, plantOf, textFields } from '@plant-store/domain';
import { CompiledQuery, type Kysely } from 'kysely';
import { isUnsupported } from './errors.ts';
import type { Schema } from './schema.ts';

/**
 * Inserts the plants whose ids are free, and resolves with these ids. It waits for other sessions that are inserting,
 * changing or deleting one of them; after {@link LOCK_TIMEOUT_MS} it fails with 55P03, and nothing is inserted.
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

/** 50 ms: many times what a commit takes, and hardly noticed by the other adds of the batch. */
const LOCK_TIMEOUT_MS = 50;

const columns = ['id', ...textFields];

/** The statement is the same for any number of plants. */
const insertMany = insertFrom(
  `* from unnest($1::int8[], ${textFields.map((_, at) => `$${at + 2}::text[]`).join(', ')})`,
);

/** For a single plant the server is faster without arrays. */
const insertOne = insertFrom(`$1::int8, ${textFields.map((_, at) => `$${at + 2}::text`).join(', ')}`);

/** The timeout is set in the statement, so that its commit ends the setting: a session behind a pooler is shared. */
function insertFrom(source: string): string {
  return `insert into plants (${columns.join(', ')}) select ${source}
    where (select set_config('lock_timeout', '${LOCK_TIMEOUT_MS}', true)) is not null
    on conflict (id) do nothing returning id`;
}

/**
 * The plants whose ids no row has, without waiting for locks. No outcome may rest on it: a row may not be durable yet.
 */
export async function notStored(db: Kysely<Schema>, plants: readonly NewPlant[]): Promise<readonly NewPlant[]> {
  const { rows } = await db.executeQuery<{ id: bigint }>(
    CompiledQuery.raw('select id from plants where id = any($1::int8[])', [idsOf(plants)]),
  );
  const stored = new Set(rows.map(({ id }) => id));
  return plants.filter(({ id }) => !stored.has(id));
}

/**
 * The plants that have the ids, without those that another session is changing or deleting. The lock is a write: its
 * commit waits for the standbys as the rows' own had to. A plain read could return a row whose wait was cancelled, and
 * which is lost when a standby takes over.
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

/** Citus locks rows only in a statement about one of them, and refuses any other before it does anything. */
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
 * Fails whenever an add would for lack of a server, a table, a privilege or a primary: it runs an add's statements with
 * no plants. It writes nothing, so a full disk or a missing standby shows in adds alone.
 */
export async function checkCanAdd(db: Kysely<Schema>): Promise<void> {
  await insert(db, []);
  await lockSkipLocked(db, []);
}
