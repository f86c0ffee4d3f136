import { optionalTextFields, textFields } from '@plant-store/domain';
import { type Database, nullableColumns, type PlantRow, plantColumns } from '@plant-store/store-kit';
import { type Blocker, type Failures, OWN, type SqlStatements } from '@plant-store/store-kit/sql';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type pg from 'pg';
import type { Session } from './database.ts';
import { isLockTimeout, isPermissionDenied, postgresErrors, violatedIndex } from './errors.ts';
import { failuresIn, insertIndividuallySql } from './insert-individually.ts';
import type { PlantTable } from './table.ts';

/** The statements of a store on PostgreSQL. @param table the table, which every new session has checked. */
export function statementsOn(db: Kysely<Database>, table: PlantTable): SqlStatements<Session> {
  let compiled: ReturnType<typeof compile> | undefined;
  const texts = () => (compiled ??= compile(db.withSchema(table.schema)));

  async function insert(session: Session, rows: readonly PlantRow[], lockTimeout: string) {
    const values = valuesOf(rows, lockTimeout, table);
    // Ids are parsed only if some rows were not inserted.
    const added = await session.query<[string]>({ text: texts().insert, values, rowMode: 'array', types: TEXT });
    return added.rows.length === rows.length ? 'all' : new Set(added.rows.map(([id]) => BigInt(id)));
  }

  async function insertIndividually(session: Session, rows: readonly PlantRow[], deadline: number) {
    try {
      return failuresIn(await session.query({ text: insertIndividuallySql(rows, table, deadline) }));
    } catch (error) {
      // A lost connection has nothing to roll back.
      if (!session.failure) await session.query({ text: 'rollback' });
      // Savepoints serve a commit that is refused, and a user who may not run the block.
      if (postgresErrors.isRefused(error) || isPermissionDenied(error)) return undefined;
      throw error;
    }
  }

  async function findUnlocked(session: Session, ids: readonly bigint[]): Promise<readonly PlantRow[]> {
    return (await session.query<PlantRow>({ text: texts().lock, values: [ids, table.synchronousCommit] })).rows;
  }

  async function stored(session: Session, ids: readonly bigint[]): Promise<ReadonlySet<bigint>> {
    const { rows } = await session.query<PlantRow>({ text: texts().select, values: [ids] });
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * A further unique index, or one that is being built, can reject a plant that another session is adding. Such a plant has to be
   * tried again unless the index is complete and lacks the id. Even then its id may be taken.
   */
  async function takenAmong(session: Session, failures: Failures): Promise<ReadonlySet<bigint>> {
    const violations = [...failures].flatMap(([id, error]) => {
      const index = violatedIndex(error);
      return index === undefined ? [] : [{ id, index }];
    });
    if (violations.length === 0) return new Set();
    const names = violations.map(({ index }) => index);
    const { rows } = await session.query<{ name: string }>({ text: INDEXES_WITHOUT_ID, values: [names, table.oid] });
    const withoutId = Map.groupBy(violations, ({ index }) => rows.some(({ name }) => name === index));
    const [decided = [], undecided = []] = [withoutId.get(true), withoutId.get(false)];
    const taken = await stored(
      session,
      decided.map(({ id }) => id),
    );
    return new Set([...undecided.map(({ id }) => id), ...taken]);
  }

  /** Runs an add's statements without plants, and a transaction that needs space. It leaves nothing behind. */
  async function probe(session: Session): Promise<void> {
    await insert(session, [], LOCK_TIMEOUT);
    await findUnlocked(session, []);
    await session.query({ text: COMMIT_WITH_SPACE, values: [table.synchronousCommit, table.oid] });
  }

  return {
    insert: (session, rows) => insert(session, rows, LOCK_TIMEOUT),
    insertIndividually,
    // Each statement has to see the commits of other sessions. A deferred constraint would fail the commit of all rows.
    begin: () => ['begin isolation level read committed; set constraints all immediate'],
    insertPart: (session, rows) => insert(session, rows, MIN_LOCK_TIMEOUT),
    findUnlocked,
    stored,
    probe,
    checkTable: async (session, withinMs) => (await table.check(session, withinMs)).oid,
    async firstAndLast(session) {
      const [first, last] =
        (await session.query<(bigint | null)[]>({ text: texts().ends, rowMode: 'array' })).rows[0] ?? [];
      return [first ?? null, last ?? null];
    },
    async lockHolder(session) {
      return (await session.query<Blocker>({ text: LOCK_HOLDER, values: [table.oid, `${OWN}%`] })).rows[0];
    },
    isConflict: isLockTimeout,
    takenAmong,
    errors: postgresErrors,
  };
}

/** Compiles the statements, each for any number of rows. */
function compile(db: Kysely<Database>) {
  const types = ['int8', ...textFields.map(() => 'text'), ...nullableColumns.map(() => 'bool')];
  const arrays = sql<PlantRow>`unnest(${sql.join(types.map((type) => sql`${null}::${sql.raw(type)}[]`))})`;
  const names = [...plantColumns, ...nullableColumns.map(presence)].map((name) => sql.ref(name));
  const rows = db
    .selectFrom(arrays.as<'arrays'>(sql`arrays(${sql.join(names)})`))
    // With `array_nulls = off` an array's NULL is the text 'NULL'.
    .select(plantColumns.map((name) => (nullableColumns.includes(name) ? ifPresent(name) : sql.ref(name)).as(name)))
    .where(withSettings(sql`set_config('lock_timeout', ${null}, true) || ${durableCommit}`));
  const byIds = db.selectFrom('plants').where(sql<boolean>`id = any(${null}::int8[])`);
  return {
    /** Waits for sessions that insert, change or delete one of the rows. Fails with 55P03 after the lock timeout. */
    insert: db
      .insertInto('plants')
      .columns(plantColumns as (keyof PlantRow)[])
      .expression(rows)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .compile().sql,
    /**
     * A row lock is a write, so its commit waits for the standbys. A plain read could return a row whose wait was cancelled, and
     * which is lost if a standby takes over.
     */
    lock: byIds.selectAll().where(withSettings(durableCommit)).orderBy('id').forKeyShare().skipLocked().compile().sql,
    select: byIds.select('id').compile().sql,
    ends: db
      .selectFrom('plants')
      .select(({ fn }) => [fn.min('id').as('first'), fn.max('id').as('last')])
      .compile().sql,
  };
}

const presence = (column: string) => `has_${column}`;
const ifPresent = (column: string) => sql`case when ${sql.ref(presence(column))} then ${sql.ref(column)} end`;

/** Sets settings within the statement, until its commit. A session behind a pooler is shared, so none may remain set. */
const withSettings = (settings: RawBuilder<unknown>) => sql<boolean>`(select ${settings}) is not null`;

/** Warnings are needed, because a commit that no standby confirmed is only a warning. */
const durableCommit = sql`set_config('client_min_messages', 'warning', true) || set_config('synchronous_commit', ${null}, true)`;

function valuesOf(rows: readonly PlantRow[], lockTimeout: string, { synchronousCommit }: PlantTable) {
  return [
    `{${rows.map(({ id }) => id).join()}}`,
    ...textFields.map((field) => rows.map((row) => row[field] ?? '')),
    ...optionalTextFields.map((field) => `{${rows.map((row) => row[field] !== null).join()}}`),
    lockTimeout,
    synchronousCommit,
  ];
}

/** Leaves values as PostgreSQL sends them. */
const TEXT: pg.CustomTypesConfig = { getTypeParser: () => String };

/** 50 ms: many times the duration of a commit. The other adds of the batch wait as long. */
const LOCK_TIMEOUT = '50';

/** 1 ms: 0 would wait without a limit. */
const MIN_LOCK_TIMEOUT = '1';

/**
 * Fails if the disk of the table is full, and commits as durably as an add. An UPDATE would not need space, because it soon reuses
 * a page of the table.
 *
 * The rows exceed `work_mem`, so they need a temporary file. It is in the tablespace of the table if the user may CREATE there,
 * otherwise in that of the database. The message makes the transaction write a WAL record and nothing else (PostgreSQL
 * documentation, «Replication Management Functions»). Neither needs a privilege.
 */
const COMMIT_WITH_SPACE = `
  select pg_logical_emit_message(true, 'plant-store', '') from (
    select count(*) from generate_series(1, case when set_config('work_mem', '64kB', true) is not null
      and set_config('client_min_messages', 'warning', true) is not null
      and set_config('synchronous_commit', $1, true) is not null
      and set_config('temp_tablespaces', coalesce((
        select quote_ident(spcname) from pg_class join pg_tablespace on pg_tablespace.oid = reltablespace
        where pg_class.oid = $2::oid and has_tablespace_privilege(reltablespace, 'create')), ''), true)
      is not null then 5000 end)) as beyond_work_mem`;

/** Selects the indexes that are complete, and have no id in their key or belong to another table. */
const INDEXES_WITHOUT_ID = `
  select distinct name from unnest($1::text[]) as violated(name) join pg_index on indexrelid = to_regclass(name)
  where not ((indrelid = $2::oid or indrelid in (select relid from pg_partition_tree($2::oid)))
    and (not indisvalid or exists (select from pg_attribute
      where attrelid = indrelid and attname = 'id' and attnum = any(indkey[0:indnkeyatts - 1]))))`;

/**
 * Excludes young transactions, because ours take milliseconds, and readers, which do not block adds. Our active sessions, and
 * those that wait for a standby, hold their locks because something else blocks them.
 */
const LOCK_HOLDER = `
  select holder.*, case when exists (select from pg_stat_activity
      where datname = current_database() and wait_event = 'SyncRep' and xact_start < clock_timestamp() - interval '500 ms')
    then 'a synchronous standby: start it, or change synchronous_standby_names' end as "waitsFor"
  from (select) as one left join (
    select coalesce('pid ' || lock.pid, 'a prepared transaction (ROLLBACK PREPARED ' || quote_literal(gid) || ' ends it)') as session,
      coalesce(usename, owner) as role, application_name as application, coalesce(xact_start, prepared)::text as since
    from pg_locks as lock left join pg_stat_activity as activity on activity.pid = lock.pid
      left join (pg_locks as own join pg_prepared_xacts on transaction = own.transactionid)
        on lock.pid is null and own.pid is null and own.virtualtransaction = lock.virtualtransaction
    where lock.relation = $1::oid and lock.database = (select oid from pg_database where datname = current_database())
      and lock.granted and lock.mode <> 'AccessShareLock' and wait_event is distinct from 'SyncRep'
      and (state = 'active' and query like $2) is not true
      and coalesce(xact_start, prepared) < clock_timestamp() - interval '500 ms' is not false
    order by coalesce(xact_start, prepared) limit 1) as holder on true`;
