import { closeSync, existsSync, fdatasyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { type Database, type PlantRow, plantColumns } from '@plant-store/store-kit';
import type { SqlDatabase } from '@plant-store/store-kit/sql';
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqliteStatement,
  sql,
} from 'kysely';
import { isLocked, sqliteErrors } from './errors.ts';

/** Makes the database of a store on a file. */
export function openSqliteDatabase(path: string, access: 'read' | 'write'): SqlDatabase {
  const db = openDatabase(path, access);
  let inode: number | undefined;

  async function checkSettings(): Promise<void> {
    const { rows } = await sql<{ mode: string; synchronous: bigint }>`
      select journal_mode as mode, synchronous from pragma_journal_mode, pragma_synchronous`.execute(db);
    const [{ mode, synchronous } = {}] = rows;
    // 2 is FULL.
    if (mode !== 'wal' || synchronous !== 2n)
      throw new StoreMisconfigured(
        `${path}: SQLite cannot keep a write-ahead log there (journal mode ${mode}); set a path on a local disk`,
      );
    const found = statSync(path, { throwIfNoEntry: false })?.ino;
    inode ??= found;
    if (found !== inode)
      throw new StoreUnavailable(
        `${path} was moved, deleted or replaced while it was open; put it back, or restart the service`,
      );
  }

  /** Writes the number that the file has, in one transaction, because another program may change it. */
  async function commit(): Promise<void> {
    await db.transaction().execute(async (transaction) => {
      const { rows } = await sql<{ user_version: bigint }>`pragma user_version`.execute(transaction);
      await sql.raw(`pragma user_version = ${rows[0]?.user_version}`).execute(transaction);
    });
  }

  return {
    ...{ db, errors: sqliteErrors(path), migrations: join(import.meta.dirname, 'migrations') },
    // Reading a page blocks this process.
    pageRows: 500,
    ...{ insert, checkSettings, commit },
    // Other processes see synced rows only.
    read: (ids) => db.selectFrom('plants').select(plantColumns).where('id', 'in', toList(ids)).execute(),
    exclusively: (apply) => db.transaction().execute(apply),
  };
}

async function insert(db: Kysely<Database>, rows: readonly PlantRow[]): Promise<readonly bigint[]> {
  const given = rows.map((row) => plantColumns.map((name) => (name === 'id' ? String(row.id) : row[name])));
  const query = CompiledQuery.raw(INSERT, [JSON.stringify(given)]);
  const inserted = await waitForLock(() => db.executeQuery<Pick<PlantRow, 'id'>>(query));
  return inserted.rows.map(({ id }) => id);
}

/**
 * The rows are one parameter, a text of JSON, so that one prepared statement inserts any number of them. An id in it is a string, because
 * JavaScript's numbers cannot hold it; the column makes it an integer. OR ABORT overrides conflict clauses of the table, which could
 * delete other plants.
 */
const INSERT = `insert or abort into plants (${plantColumns.map((column) => `"${column}"`).join()})
  select ${plantColumns.map((_, at) => `value ->> ${at}`).join()} from json_each(?) where true
  on conflict (id) do nothing returning id`;

const toList = (ids: readonly bigint[]) =>
  sql<bigint>`(select cast(value as integer) from json_each(${JSON.stringify(ids.map(String))}))`;

/** Makes Kysely on a file, which the first statement opens. It then throws the error of SQLite or of the file system. */
function openDatabase(path: string, access: 'read' | 'write'): Kysely<Database> {
  const open = access === 'write' ? openForWriting : openForReading;
  const driver = new LockingDriver({ database: async () => adaptDatabase(open(path)) });
  return new Kysely({
    dialect: {
      createDriver: () => driver,
      createAdapter: () => new SqliteAdapter(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}

/** Opens a file with durable commits, and creates it if it is missing. */
function openForWriting(path: string): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // SQLite gives its other files the mode of this one. To close a file ends all locks that this process has on it (POSIX).
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  const database = new DatabaseSync(path, { readBigInts: true, timeout: OPEN_MS });
  try {
    // With WAL, readers do not block the writer, and a commit syncs one file once. NORMAL would not sync the log at every commit. On
    // macOS a plain fsync leaves the data in the drive's cache.
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON;
      SELECT count(*) FROM sqlite_schema; PRAGMA busy_timeout = 0`);
    // A killed process may have written commits to the log that it did not sync, and readers of which get `exists`.
    const log = openSync(`${path}-wal`, 'a', 0o600);
    fdatasyncSync(log);
    closeSync(log);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** 1 s: for the lock of another process that opens the file. Later SQLite does not wait, because it would block this process. */
const OPEN_MS = 1_000;

/** A missing file counts as empty. */
function openForReading(path: string): DatabaseSync {
  const exists = existsSync(path);
  return new DatabaseSync(exists ? path : ':memory:', { readBigInts: true, readOnly: exists });
}

/** Locks the file when a transaction begins, because SQLite lets no reader become a writer after another one. */
class LockingDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await waitForLock(() => connection.executeQuery(CompiledQuery.raw('begin immediate')));
  }

  /** After some errors, such as a full disk, SQLite has rolled back by itself. The first error is the one to tell. */
  override rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return super.rollbackTransaction(connection).catch(() => {});
  }
}

/** Waits for the lock of another process, which usually holds it for milliseconds. It does not block this process. */
async function waitForLock<T>(work: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + LOCK_MS; ; await sleep(1))
    try {
      return await work();
    } catch (error) {
      if (!isLocked(error) || performance.now() > until) throw error;
    }
}

/** 100 ms, some 30 commits. */
const LOCK_MS = 100;

/** Adapts a database to Kysely's driver, which is for better-sqlite3. Each statement is prepared once. */
function adaptDatabase(database: DatabaseSync): SqliteDatabase {
  const prepared = new Map<string, SqliteStatement>();
  function prepare(sql: string): SqliteStatement {
    const statement = database.prepare(sql);
    return {
      reader: statement.columns().length > 0,
      all: (given) => statement.all(...(given as SQLInputValue[])),
      run: (given) => statement.run(...(given as SQLInputValue[])),
      iterate: (given) => statement.iterate(...(given as SQLInputValue[])),
    };
  }
  return {
    prepare(sql) {
      const statement = prepared.get(sql) ?? prepare(sql);
      prepared.set(sql, statement);
      return statement;
    },
    close: () => database.close(),
  };
}
