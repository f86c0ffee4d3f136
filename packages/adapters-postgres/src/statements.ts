import { type NewPlant, type Plant, type PlantRow, plantOf, textFields } from '@plant-store/domain';
import { UnsafeStore } from '@plant-store/sql-store';
import { arrayOf } from './driver/array-literal.ts';
import { type Fault, messageOf, SELECT_FAULT } from './driver/check-session.ts';
import type { PreparedStatements } from './driver/prepared-statements.ts';
import type { Row } from './driver/submitted.ts';

/**
 * Inserts the plants whose ids are free, and resolves with these ids. It waits for other sessions that are inserting,
 * changing or deleting one of them; after {@link LOCK_TIMEOUT_MS} it fails with 55P03, and nothing is inserted.
 */
export async function insert(db: PreparedStatements, plants: readonly NewPlant[]): Promise<readonly bigint[]> {
  const [plant] = plants;
  const rows = await (plant && plants.length === 1
    ? db.run(insertOne, [String(plant.id), ...textFields.map((field) => plant[field] ?? null)])
    : db.run(insertMany, [idsOf(plants), ...textFields.map((field) => arrayOf(plants.map((each) => each[field])))]));
  return rows.map(idOf);
}

/** 50 ms: many times what a commit takes, and hardly noticed by the other adds of the batch. */
export const LOCK_TIMEOUT_MS = 50;

/** Those of the table of plants. */
export const columns: readonly string[] = ['id', ...textFields];

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
export async function notStored(db: PreparedStatements, plants: readonly NewPlant[]): Promise<readonly NewPlant[]> {
  const rows = await db.run('select id from plants where id = any($1::int8[])', [idsOf(plants)]);
  const stored = new Set(rows.map(idOf));
  return plants.filter(({ id }) => !stored.has(id));
}

/**
 * The plants that have the ids, without those that another session is changing or deleting. The lock is a write: its
 * commit waits for the standbys as the rows' own had to. A plain read could return a row whose wait was cancelled, and
 * which is lost when a standby takes over.
 */
export async function lockSkipLocked(
  db: PreparedStatements,
  plants: readonly NewPlant[],
): Promise<ReadonlyMap<bigint, Plant>> {
  const rows = await db.run(lockMany, [idsOf(plants)]);
  return new Map(rows.map((row) => [idOf(row), plantIn(row)]));
}

export const lockMany = `select ${columns.join(', ')} from plants where id = any($1::int8[]) order by id for key share skip locked`;

/** Their ids, as PostgreSQL reads an array. */
export function idsOf(plants: readonly NewPlant[]): string {
  return `{${plants.map(({ id }) => id).join()}}`;
}

/** The id in a row, which is its first column. */
export function idOf([id]: Row): bigint {
  return BigInt(id ?? 0);
}

/** The plant in a row of all columns. */
export function plantIn([, ...texts]: Row): Plant {
  return plantOf(Object.fromEntries(textFields.map((field, at) => [field, texts[at]])) as PlantRow);
}

/**
 * Fails whenever an add would for lack of a server, a table, a privilege or a primary: it runs an add's statements with
 * no plants. It writes nothing, so a full disk or a missing standby shows in adds alone. It fails as well where an add
 * should, because somebody has changed a setting or the table since the connection was opened.
 */
export async function checkCanAdd(db: PreparedStatements): Promise<void> {
  await insert(db, []);
  await lockSkipLocked(db, []);
  // Last: an ALTER TABLE that the others had to wait for has ended by then.
  const [row] = await db.run(SELECT_FAULT, []);
  const fault = row?.[0] as Fault | null | undefined;
  if (fault) throw new UnsafeStore(messageOf(fault));
}
