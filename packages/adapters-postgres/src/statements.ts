import type { CompleteServerOptions } from '@plant-store/store-kit';
import type { Database, Failures, PlantRow, SqlStatements } from '@plant-store/store-kit/sql';
import { CompiledQuery, type Kysely, sql } from 'kysely';
import type pg from 'pg';
import { checkSession, type PostgresDatabase } from './database.ts';
import { isDenied, isLockTimeout, postgresErrors } from './errors.ts';
import { failuresIn, insertApartText } from './insert-apart.ts';

/** The statements of a store. */
export function statementsOn({ sessions, db }: PostgresDatabase, { timeoutMs }: CompleteServerOptions): SqlStatements {
  const text = insertText(db);

  async function insert(rows: readonly PlantRow[]): Promise<ReadonlySet<bigint> | 'all'> {
    // Not by Kysely, which adds nothing here but a third of the CPU of an insert; nor are ids read that nobody asks for.
    const values = valuesOf(rows, LOCK_TIMEOUT);
    const added = await sessions.use((session) =>
      session.query<[string]>({ text, values, rowMode: 'array', types: TEXT }),
    );
    return added.rows.length === rows.length ? 'all' : new Set(added.rows.map(([id]) => BigInt(id)));
  }

  async function insertApart(rows: readonly PlantRow[]): Promise<Failures | undefined> {
    return sessions.use(async (session) => {
      try {
        return failuresIn(await session.query<{ failures: string }>({ text: insertApartText(rows) }));
      } catch (error) {
        // A lost connection has nothing to roll back.
        if (!postgresErrors.isLost(error)) await session.query({ text: 'rollback' });
        // Of a text that the database's encoding lacks, the whole message is.
        if (postgresErrors.isRefused(error) || isDenied(error)) return undefined;
        throw error;
      }
    });
  }

  async function insertAtOnce(transaction: Kysely<Database>, rows: readonly PlantRow[]): Promise<ReadonlySet<bigint>> {
    const statement = CompiledQuery.raw(text, valuesOf(rows, AT_ONCE));
    await transaction.executeQuery(CompiledQuery.raw('set constraints all immediate'));
    const added = await transaction.executeQuery<Pick<PlantRow, 'id'>>(statement);
    return new Set(added.rows.map(({ id }) => id));
  }

  /**
   * The lock is a write: its commit waits for the standbys as the rows' own had to. A plain read could return a row whose wait
   * was cancelled, and which is lost when a standby takes over.
   */
  const lock = db
    .selectFrom('plants')
    .selectAll()
    .where(idIn([]))
    .orderBy('id')
    .forKeyShare()
    .skipLocked()
    .compile().sql;
  const select = db.selectFrom('plants').select('id').where(idIn([])).compile().sql;
  const rowsOf = async (text: string, ids: readonly bigint[]) =>
    (await sessions.use((session) => session.query<PlantRow>({ text, values: [ids] }))).rows;

  /** An add's statements with no plants, and a transaction that needs space. It leaves nothing behind. */
  async function probe(): Promise<void> {
    await insert([]);
    await rowsOf(lock, []);
    await COMMIT_WITH_SPACE.execute(db);
    // Last: an ALTER TABLE that the others had to wait for has ended by then.
    await sessions.use((session) => checkSession(session, timeoutMs));
  }

  return {
    insert,
    insertApart,
    insertAtOnce,
    findUnlocked: (ids) => rowsOf(lock, ids),
    stored: async (ids) => new Set((await rowsOf(select, ids)).map(({ id }) => id)),
    probe,
    isConflict: isLockTimeout,
    // Each statement sees what others have committed by then.
    isolation: 'read committed',
    errors: postgresErrors,
    close: () => sessions.end(),
  };
}

/**
 * One statement for any number of rows, made once. It waits for other sessions that are inserting, changing or deleting one of
 * them, and fails with 55P03 after the lock timeout. That is set in the statement, so that its commit ends the setting: a
 * session behind a pooler is shared.
 */
function insertText(db: Kysely<Database>): string {
  const given = sql<PlantRow>`unnest(${null}::int8[], ${null}::text[], ${null}::text[])`;
  const rows = db
    .selectFrom(given.as<'given'>(sql`given(id, name, tag)`))
    .select(['id', 'name', 'tag'])
    .where(sql<boolean>`(select set_config('lock_timeout', ${null}, true)) is not null`);
  return db
    .insertInto('plants')
    .columns(['id', 'name', 'tag'])
    .expression(rows)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .compile().sql;
}

function valuesOf(rows: readonly PlantRow[], lockTimeout: string) {
  return [
    `{${rows.map(({ id }) => id).join()}}`,
    rows.map(({ name }) => name),
    rows.map(({ tag }) => tag),
    lockTimeout,
  ];
}

/** Leaves values as PostgreSQL sends them. */
const TEXT: pg.CustomTypesConfig = { getTypeParser: () => String };

/** As one parameter: a list would be another statement for each length. */
const idIn = (ids: readonly bigint[]) => sql<boolean>`id = any(${ids}::int8[])`;

/** 50 ms: many times what a commit takes, and hardly noticed by the other adds of the batch. */
const LOCK_TIMEOUT = '50';

/** 1 ms, PostgreSQL's minimum. */
const AT_ONCE = '1';

/**
 * Fails without space beside the table, and commits as an add does: synced, and once the standbys have confirmed it. An UPDATE
 * of a small table would show the commit alone, because it soon finds room in a page that is there.
 *
 * The space is for a temporary file, which the rows need beyond `work_mem`: some 24 bytes each. It is in the tablespace of the
 * table if the user may CREATE there, else in the database's own. The message makes it a transaction that writes, and is
 * nothing but a record of the WAL (PostgreSQL documentation, «Replication Management Functions»). Neither needs a privilege.
 */
const COMMIT_WITH_SPACE = sql`select pg_logical_emit_message(true, 'plant-store', '') from (
  select count(*) from generate_series(1, case when set_config('work_mem', '64kB', true) is not null
    and set_config('temp_tablespaces', coalesce((
      select quote_ident(spcname) from pg_class join pg_tablespace on pg_tablespace.oid = reltablespace
      where pg_class.oid = to_regclass('plants') and has_tablespace_privilege(reltablespace, 'create')), ''), true)
    is not null then 5000 end)) as beyond_work_mem`;
