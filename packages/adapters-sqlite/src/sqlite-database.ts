import { statSync } from 'node:fs';
import { join } from 'node:path';
import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { type Database, type PlantRow, plantColumns } from '@plant-store/store-kit';
import type { SqlDatabase } from '@plant-store/store-kit/sql';
import { type Kysely, sql } from 'kysely';
import { openDatabase, waitForLock } from './database.ts';
import { sqliteErrors } from './errors.ts';

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

/** OR ABORT overrides conflict clauses of the table, which could delete other plants. */
async function insert(db: Kysely<Database>, rows: readonly PlantRow[]): Promise<readonly bigint[]> {
  const given = rows.map((row) => plantColumns.map((name) => (name === 'id' ? String(row.id) : row[name])));
  const statement = sql<{ id: bigint }>`
    insert or abort into plants (${columns}) select ${values} from json_each(${JSON.stringify(given)}) where true
    on conflict (id) do nothing returning id`;
  const inserted = await waitForLock(() => statement.execute(db));
  return inserted.rows.map(({ id }) => id);
}

const columns = sql.join(plantColumns.map((name) => sql.ref(name)));

/**
 * The rows are one parameter, a text of JSON, so that one prepared statement inserts any number of them. An id in it is a string, because
 * JavaScript's numbers cannot hold it; the column makes it an integer.
 */
const values = sql.join(plantColumns.map((_, at) => sql`value ->> ${sql.lit(at)}`));

const toList = (ids: readonly bigint[]) =>
  sql<bigint>`(select cast(value as integer) from json_each(${JSON.stringify(ids.map(String))}))`;
