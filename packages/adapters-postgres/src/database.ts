import { hash } from 'node:crypto';
import { join } from 'node:path';
import { StoreMisconfigured, StoreUnavailable, textFields } from '@plant-store/domain';
import { type CompleteServerOptions, type Database, type PlantRow, plantColumns } from '@plant-store/store-kit';
import type { SqlDatabase } from '@plant-store/store-kit/sql';
import { CompiledQuery, Kysely, PostgresDialect, type PostgresPoolClient, sql } from 'kysely';
import pg from 'pg';
import { invalidUrl, parseConnectionString } from './connection-string.ts';
import { isTimeout, postgresErrors } from './errors.ts';

/** Makes the database of a store on PostgreSQL. No statement leaves a setting behind, because a pooler shares sessions. */
export function postgresDatabase(db: Kysely<Database>, options: CompleteServerOptions): SqlDatabase {
  let hasWarned = false;
  const warnOnce = (message: string) => {
    if (!hasWarned) options.onWarning(message);
    hasWarned = true;
  };
  return {
    db,
    errors: postgresErrors,
    migrations: join(import.meta.dirname, 'migrations'),
    // The fastest of 500, 2,000 and 8,000 for small plants.
    pageRows: 2_000,
    insert,
    read: async (ids) => (await db.executeQuery<PlantRow>(CompiledQuery.raw(READ, [toArray(ids)]))).rows,
    checkSettings: () => checkSettings(db, warnOnce),
    commit: async () => void (await db.executeQuery(CompiledQuery.raw(COMMIT))),
    exclusively: (apply) => migrateExclusively(db, options.migrationLockTimeoutMs, apply),
  };
}

async function insert(db: Kysely<Database>, rows: readonly PlantRow[]): Promise<readonly bigint[]> {
  if (db.isTransaction) await sql`set constraints all immediate`.execute(db);
  const columns = [toArray(rows.map(({ id }) => id)), ...textFields.map((field) => rows.map((row) => row[field]))];
  const { rows: inserted } = await db.executeQuery<Pick<PlantRow, 'id'>>(CompiledQuery.raw(INSERT, columns));
  return inserted.map(({ id }) => id);
}

const toArray = (ids: readonly bigint[]) => `{${ids.join()}}`;

/**
 * Sets settings within the statement, until its commit. Warnings are needed, because a commit that no standby confirmed is only a
 * warning. 50 ms for a lock: many times the duration of a commit. The other adds of the batch wait as long.
 */
const SETTINGS = `(select set_config('lock_timeout', '50', true) || set_config('client_min_messages', 'warning', true)
  || set_config('synchronous_commit',
    case current_setting('synchronous_commit') when 'off' then 'on' else current_setting('synchronous_commit') end, true)
  ) is not null`;

/** A message in the log, which no plugin reads. The transaction commits as one that stores a plant. It needs no privilege. */
const MESSAGE = "pg_logical_emit_message(true, 'plant-store', '')";

const COMMIT = `select ${MESSAGE} where ${SETTINGS}`;

const COLUMNS = plantColumns.map((column) => `"${column}"`).join();

/** The text is the same for any number of rows, so that it is compiled here and the server parses it once. */
const INSERT = `insert into plants (${COLUMNS}) select * from unnest(
  ${plantColumns.map((column, at) => `$${at + 1}::${column === 'id' ? 'int8' : 'text'}[]`).join()}
  ) where ${SETTINGS} on conflict (id) do nothing returning id`;

/**
 * A plain read may return a row that no standby has, because the wait of its commit was cancelled or goes on. With the message this
 * transaction commits as well, and waits for what was committed before it. A row lock would wait for other sessions, too.
 */
const READ = `select ${COLUMNS}, ${MESSAGE} from plants where id = any($1::int8[]) and ${SETTINGS}`;

async function checkSettings(db: Kysely<Database>, warn: (message: string) => void): Promise<void> {
  const { rows } = await sql<{ unlogged: string | null; encoding: string; fsync: string }>`
    select current_setting('server_encoding') as encoding, current_setting('fsync') as fsync,
      (select min(oid::regclass::text) from pg_class where relpersistence <> 'p'
        and oid in (select 'plants'::regclass union all select relid from pg_partition_tree('plants'))) as unlogged`.execute(
    db,
  );
  const [{ unlogged, encoding, fsync }] = rows as [(typeof rows)[0]];
  if (unlogged !== null)
    throw new StoreMisconfigured(
      `PostgreSQL: the table ${unlogged} is not logged, so a crash of the server empties it: run ALTER TABLE … SET LOGGED`,
    );
  if (encoding !== 'UTF8' && encoding !== 'SQL_ASCII')
    throw new StoreMisconfigured(
      `PostgreSQL: the database has the encoding ${encoding}, which lacks characters: create one with ENCODING 'UTF8'`,
    );
  if (fsync === 'off')
    warn('PostgreSQL: fsync is off, so a crash of the machine may lose plants that were acknowledged: set it to on');
}

/** An advisory lock until the transaction ends, so the next holder sees the migrated schema. Any role may take it. */
async function migrateExclusively(
  db: Kysely<Database>,
  lockTimeoutMs: number,
  apply: (db: Kysely<Database>) => Promise<void>,
): Promise<void> {
  await db
    .transaction()
    .setIsolationLevel('read committed')
    .execute(async (transaction) => {
      await sql`select set_config('lock_timeout', ${String(lockTimeoutMs)}, true)`.execute(transaction);
      await sql`select pg_advisory_xact_lock(7310868735423014481::int8)`.execute(transaction);
      await apply(transaction);
    });
}

/**
 * Opens a database with pg's pool. It connects on first use. All timeouts are the client's. PgBouncer rejects `statement_timeout` in the
 * startup message, and it does not bound the wait for a standby.
 *
 * @param timeoutMs the timeout of a statement, which is then cancelled.
 * @param preparesStatements by default the connection string decides.
 * @throws {StoreMisconfigured} if the connection string cannot be used.
 */
export function openPool(
  { connectionString, poolSize, connectWithinMs, observer, onError }: CompleteServerOptions,
  timeoutMs: number,
  preparesStatements: boolean = parseConnectionString(connectionString).prepare,
): Kysely<Database> {
  const config: pg.PoolConfig = {
    connectionString: parseConnectionString(connectionString).url,
    max: poolSize,
    connectionTimeoutMillis: connectWithinMs,
    // Long enough for bursts to reuse connections.
    idleTimeoutMillis: 10_000,
    // A session that is never idle would not notice a changed setting of its role.
    maxLifetimeSeconds: 300,
    query_timeout: timeoutMs,
    // A migration has no timeout, and may wait for a host that is gone.
    ...{ keepAlive: true, keepAliveInitialDelayMillis: 10_000 },
    allowExitOnIdle: true,
    types: { getTypeParser },
  };
  try {
    // Reads the certificates now. If pg read them on connecting, a wrong path would look like an outage.
    new pg.Client(config);
  } catch (cause) {
    throw invalidUrl((cause as Error).message, { cause });
  }
  let pool = createPool();
  observer.watchConnections(() => {
    const { totalCount, idleCount, waitingCount } = pool;
    return { used: totalCount - idleCount, idle: idleCount, pending: waitingCount, max: poolSize };
  });

  function createPool(): pg.Pool {
    const created = new pg.Pool(config);
    // The pool listens only while the client is idle. Without a listener a terminated backend would end this process.
    created.on('connect', (client) => void client.on('error', () => {}));
    // The pool emits this for idle clients alone. If a client is in use, its statement fails.
    created.on('error', ({ message }) => onError(new Error(`idle connection to PostgreSQL lost: ${message}`)));
    return created;
  }

  async function connect(): Promise<PostgresPoolClient> {
    const from = pool;
    const client: pg.PoolClient & Pick<PostgresPoolClient, 'processID'> = await from.connect();
    // The other connections may be dead or outdated as well, and each statement of theirs would have to fail.
    const replacePool = () => {
      // A closed store needs no other one.
      if (pool !== from || from.ending) return;
      pool = createPool();
      void from.end();
    };
    return guardClient(client, preparesStatements, {
      onOutdated: replacePool,
      onLate() {
        replacePool();
        void cancelStatement(config, client.processID);
      },
    });
  }

  return new Kysely({ dialect: new PostgresDialect({ pool: { options: {}, connect, end: () => pool.end() } }) });
}

/** Cancels a statement, because a backend that waits for a standby or a lock does not notice that its client has gone. */
async function cancelStatement(config: pg.ClientConfig, processId: number | undefined): Promise<void> {
  const client = new pg.Client(config);
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select pg_cancel_backend($1)', [processId]);
  } catch {
    // The server is unreachable or has no connection left. Then its own keep-alive has to end the statement.
  } finally {
    void client.end();
  }
}

/** Reads an int64 as a bigint. It is set for these clients alone, because `pg.types` is shared by the whole process. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format as 'text');

/**
 * Guards a client of the pool while it is in use:
 * - After a timeout, and after an error that its session would repeat, further statements fail at once, and the client is closed.
 * - A commit with a warning fails, because a standby may not have it. PostgreSQL only warns if the wait for the standby is cancelled.
 */
function guardClient(
  client: pg.PoolClient,
  preparesStatements: boolean,
  { onLate, onOutdated }: { readonly onLate: () => void; readonly onOutdated: () => void },
): PostgresPoolClient {
  let fault: Error | undefined;
  let warning: string | undefined;
  const listen = ({ code, message, where }: Partial<Record<'code' | 'message' | 'where', string | undefined>>) => {
    // The severity is localized. One with a context is a trigger's.
    if (code?.startsWith('01') && where === undefined) warning = message;
  };
  client.on('notice', listen);

  async function query(text: string, values: readonly unknown[]) {
    if (fault) throw fault;
    warning = undefined;
    const name = preparesStatements && values.length > 0 ? { name: deriveName(text) } : {};
    const result = await client.query({ text, values: [...values], ...name }).catch((error: Error) => {
      const code = error instanceof pg.DatabaseError ? error.code : undefined;
      if (isTimeout(error)) onLate();
      if (OUTDATED.includes(code ?? '')) onOutdated();
      if (isTimeout(error) || OUTDATED.includes(code ?? '')) fault = error;
      throw error;
    });
    if (warning !== undefined)
      throw new StoreUnavailable(`PostgreSQL: the commit is not confirmed: ${warning}`, { cause: new Error(warning) });
    return result;
  }

  function release(destroy?: boolean): void {
    client.off('notice', listen);
    client.release(fault ?? destroy);
  }

  // Kysely's type has an overload for cursors, which only streaming needs.
  return { query: query as unknown as PostgresPoolClient['query'], release };
}

/**
 * Errors that a session repeats: it is on a standby, its prepared statement is of the table before a change, or a pooler has given its prepared
 * statements to another server.
 */
const OUTDATED = ['25006', '0A000', '26000', '42P05'];

const names = new Map<string, string>();

/** Derives the name of a prepared statement from its text alone, because a pooler shares it among clients of all versions. */
function deriveName(text: string): string {
  const name = names.get(text) ?? `plant-store-${hash('sha256', text, 'hex').slice(0, 32)}`;
  names.set(text, name);
  return name;
}
