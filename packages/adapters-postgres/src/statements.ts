import type { CompleteServerOptions } from '@plant-store/store-kit';
import type { Database, Failures, PlantRow, SessionRow, SqlStatements } from '@plant-store/store-kit/sql';
import { CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely';
import type pg from 'pg';
import type { PostgresDatabase } from './database.ts';
import { isDenied, isLockTimeout, postgresErrors } from './errors.ts';
import { failuresIn, insertApartText } from './insert-apart.ts';
import type { PlantTable } from './table.ts';

/** The statements of a store. @param table which one they are for: every new session has looked at it. */
export function statementsOn(
  { sessions, db }: PostgresDatabase,
  table: PlantTable,
  { timeoutMs }: CompleteServerOptions,
): SqlStatements {
  let made: ReturnType<typeof textsFor> | undefined;
  const texts = () => (made ??= textsFor(db.withSchema(table.schema)));

  async function insert(rows: readonly PlantRow[]): Promise<ReadonlySet<bigint> | 'all'> {
    // Not by Kysely, which adds nothing here but a third of the CPU of an insert; nor are ids read that nobody asks for.
    const added = await sessions.use((session) => {
      const values = valuesOf(rows, LOCK_TIMEOUT, table);
      return session.query<[string]>({ text: texts().insert, values, rowMode: 'array', types: TEXT });
    });
    return added.rows.length === rows.length ? 'all' : new Set(added.rows.map(([id]) => BigInt(id)));
  }

  async function insertApart(rows: readonly PlantRow[]): Promise<Failures | undefined> {
    return sessions.use(async (session) => {
      try {
        return failuresIn(await session.query<{ failures: string }>({ text: insertApartText(rows, table) }));
      } catch (error) {
        // A lost connection has nothing to roll back.
        if (!postgresErrors.isLost(error)) await session.query({ text: 'rollback' });
        // What the commit itself refuses, and a block that the user may not run, are left to the halves.
        if (postgresErrors.isRefused(error) || isDenied(error)) return undefined;
        throw error;
      }
    });
  }

  async function insertAtOnce(transaction: Kysely<Database>, rows: readonly PlantRow[]): Promise<ReadonlySet<bigint>> {
    const statement = CompiledQuery.raw(texts().insert, valuesOf(rows, AT_ONCE, table));
    await transaction.executeQuery(CompiledQuery.raw('set constraints all immediate'));
    const added = await transaction.executeQuery<Pick<PlantRow, 'id'>>(statement);
    return new Set(added.rows.map(({ id }) => id));
  }

  const findUnlocked = (ids: readonly bigint[]) =>
    sessions.use(async (session) => {
      const { rows } = await session.query<PlantRow>({ text: texts().lock, values: [ids, table.synchronousCommit] });
      return rows;
    });

  const stored = (ids: readonly bigint[]) =>
    sessions.use(async (session) => {
      const { rows } = await session.query<PlantRow>({ text: texts().select, values: [ids] });
      return new Set(rows.map(({ id }) => id));
    });

  const assertFit = () => sessions.use(async (session) => void (await table.check(session, timeoutMs)));

  /** An add's statements with no plants, and a transaction that needs space. It leaves nothing behind. */
  async function probe(): Promise<void> {
    await insert([]);
    await findUnlocked([]);
    await commitWithSpace(table).execute(db);
    // Last: an ALTER TABLE that the others had to wait for has ended by then.
    await assertFit();
  }

  return {
    insert,
    insertApart,
    insertAtOnce,
    findUnlocked,
    stored,
    probe,
    assertFit,
    lockHolder: async () => (await lockHolder(table).execute(db)).rows[0],
    isConflict: isLockTimeout,
    // Each statement sees what others have committed by then.
    isolation: 'read committed',
    errors: postgresErrors,
    close: () => sessions.end(),
  };
}

/** Made once, each for any number of rows. */
function textsFor(db: Kysely<Database>) {
  const given = sql<
    PlantRow & { tagged: boolean }
  >`unnest(${null}::int8[], ${null}::text[], ${null}::text[], ${null}::bool[])`;
  const rows = db
    .selectFrom(given.as<'given'>(sql`given(id, name, tag, tagged)`))
    // An array's NULL is a text in sessions with `array_nulls = off`.
    .select(['id', 'name', sql<string | null>`case when tagged then tag end`.as('tag')])
    .where(during(sql`set_config('lock_timeout', ${null}, true) || ${durably}`));
  const ofIds = db.selectFrom('plants').where(sql<boolean>`id = any(${null}::int8[])`);
  return {
    /**
     * It waits for other sessions that are inserting, changing or deleting one of the rows, and fails with 55P03 after the lock
     * timeout.
     */
    insert: db
      .insertInto('plants')
      .columns(['id', 'name', 'tag'])
      .expression(rows)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .compile().sql,
    /**
     * The lock is a write: its commit waits for the standbys as the rows' own had to. A plain read could return a row whose
     * wait was cancelled, and which is lost when a standby takes over.
     */
    lock: ofIds.selectAll().where(during(durably)).orderBy('id').forKeyShare().skipLocked().compile().sql,
    select: ofIds.select('id').compile().sql,
  };
}

/** Sets what a statement needs in the statement, so that its commit ends the setting: a session behind a pooler is shared. */
const during = (settings: RawBuilder<unknown>) => sql<boolean>`(select ${settings}) is not null`;

/** That a commit was not confirmed by a standby is a warning. */
const durably = sql`set_config('client_min_messages', 'warning', true) || set_config('synchronous_commit', ${null}, true)`;

function valuesOf(rows: readonly PlantRow[], lockTimeout: string, { synchronousCommit }: PlantTable) {
  return [
    `{${rows.map(({ id }) => id).join()}}`,
    rows.map(({ name }) => name),
    rows.map(({ tag }) => tag ?? ''),
    `{${rows.map(({ tag }) => tag !== null).join()}}`,
    lockTimeout,
    synchronousCommit,
  ];
}

/** Leaves values as PostgreSQL sends them. */
const TEXT: pg.CustomTypesConfig = { getTypeParser: () => String };

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
const commitWithSpace = ({ oid, synchronousCommit }: PlantTable) => sql`
  select pg_logical_emit_message(true, 'plant-store', '') from (
    select count(*) from generate_series(1, case when set_config('work_mem', '64kB', true) is not null
      and set_config('client_min_messages', 'warning', true) is not null
      and set_config('synchronous_commit', ${synchronousCommit}, true) is not null
      and set_config('temp_tablespaces', coalesce((
        select quote_ident(spcname) from pg_class join pg_tablespace on pg_tablespace.oid = reltablespace
        where pg_class.oid = ${oid}::oid and has_tablespace_privilege(reltablespace, 'create')), ''), true)
      is not null then 5000 end)) as beyond_work_mem`;

/** Ours take milliseconds, unless they wait themselves. Readers lock nothing that an add needs. */
const lockHolder = ({ oid }: PlantTable) => sql<SessionRow>`
  select 'pid ' || pid as session, usename as role, application_name as application, xact_start::text as since
  from pg_stat_activity
  where coalesce(xact_start < clock_timestamp() - interval '500 ms', true) and pid in (
    select pid from pg_locks where relation = ${oid}::oid and granted and mode <> 'AccessShareLock')
  order by xact_start limit 1`;
