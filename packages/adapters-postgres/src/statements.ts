import type { Done } from '@plant-store/group-commit';
import { type AnyResult, type NamedColumn, type Table, UnsafeStore, valueIn } from '@plant-store/sql-store';
import { arrayOf } from './driver/array-literal.ts';
import { type Fault, messageOf, selectFault } from './driver/check-session.ts';
import type { PreparedStatements } from './driver/prepared-statements.ts';
import type { Row } from './driver/run-statements.ts';

/** The statements of a table, on the connections of a store. */
export type Statements<Item extends object, Key extends bigint | string, Result extends AnyResult> = ReturnType<
  typeof statementsOf<Item, Key, Result>
>;

/**
 * Made once, when a store is opened. Not by Kysely, which cannot say the insert, and which would make each of them anew for
 * every batch.
 */
export function statementsOf<Item extends object, Key extends bigint | string, Result extends AnyResult>(
  table: Table<Item, Key, Result>,
  db: PreparedStatements,
) {
  const { name, key, columns, keyFrom } = table;
  const names = columns.map((column) => column.name).join(', ');
  const parameters = columns.map((column, at) => `$${at + 1}::${typeOf(column)}`);
  const keys = `${key.name} = any($1::${typeOf(key)}[])`;
  /** Each is the same for any number of records; for a single one the server is faster without arrays. */
  const inserts = (lockTimeoutMs: number) => ({
    many: insertFrom(`* from unnest(${parameters.map((each) => `${each}[]`).join(', ')})`, lockTimeoutMs),
    one: insertFrom(parameters.join(', '), lockTimeoutMs),
  });
  const [waiting, atOnce] = [inserts(lockTimeoutMs(true)), inserts(lockTimeoutMs(false))];
  const select = `select ${key.name} from ${name} where ${keys}`;
  /**
   * The rows that have the keys of a parameter, without those that another session is changing or deleting. The lock is a
   * write: its commit waits for the standbys as the rows' own had to. A plain read could return a row whose wait was
   * cancelled, and which is lost when a standby takes over.
   */
  const lock = `select ${names} from ${name} where ${keys} order by ${key.name} for key share skip locked`;
  const spaceAndCommit = commitWithSpace(name);
  const fault = selectFault(name);

  /** The timeout is set in the statement, so that its commit ends the setting: a session behind a pooler is shared. */
  function insertFrom(source: string, timeoutMs: number): string {
    return `insert into ${name} (${names}) select ${source}
    where (select set_config('lock_timeout', '${timeoutMs}', true)) is not null
    on conflict (${key.name}) do nothing returning ${key.name}`;
  }

  /** The key in a row, whose first column it is. */
  const keyIn = ([first]: Row) => keyFrom(first);
  /** Keys, as PostgreSQL reads an array. */
  const arrayOfKeys = (those: readonly Key[]) => arrayOfTexts(those.map(String), key);

  /**
   * Inserts the records whose keys are free, and resolves with these keys. It waits for other sessions that are inserting,
   * changing or deleting one of them; after {@link lockTimeoutMs} it fails with 55P03, and nothing is inserted.
   */
  async function insert(items: readonly Item[], mayWait: boolean): Promise<readonly Key[]> {
    const [item] = items;
    const { one, many } = mayWait ? waiting : atOnce;
    const rows = await (item && items.length === 1
      ? db.run(
          one,
          columns.map((column) => textIn(item, column)),
        )
      : db.run(
          many,
          columns.map((column) => arrayIn(items, column)),
        ));
    return rows.map(keyIn);
  }

  /** The outcomes of rows that {@link lock} has found. */
  function found(rows: readonly Row[]): ReadonlyMap<Key, Done<Result>> {
    const named = (row: Row) => Object.fromEntries(columns.map((column, at) => [column.name, row[at]]));
    return new Map(rows.map((row) => [keyIn(row), table.exists(named(row))]));
  }

  const findUnlocked = async (those: readonly Key[]) => found(await db.run(lock, [arrayOfKeys(those)]));

  async function notStored(those: readonly Key[]): Promise<readonly Key[]> {
    const stored = new Set((await db.run(select, [arrayOfKeys(those)])).map(keyIn));
    return those.filter((each) => !stored.has(each));
  }

  /**
   * Fails whenever an add would for lack of a server, a table, a privilege, a primary, space or a standby: it runs an add's
   * statements with no records, and commits a transaction that needs space. It leaves nothing behind. It fails as well where
   * an add should, because somebody has changed a setting or the table since the connection was opened.
   */
  async function checkCanAdd(): Promise<void> {
    await insert([], true);
    await findUnlocked([]);
    await db.run(spaceAndCommit, []);
    // Last: an ALTER TABLE that the others had to wait for has ended by then.
    const [row] = await db.run(fault, []);
    const what = row?.[0] as Fault | null | undefined;
    if (what) throw new UnsafeStore(messageOf(what, name));
  }

  return { insert, notStored, findUnlocked, lock, found, arrayOfKeys, keyIn, checkCanAdd };
}

/**
 * Fails without space beside a table, and commits as an add does: synced, and once the standbys have confirmed it. An UPDATE
 * of a small table would show the commit alone, because it soon finds room in a page that is there.
 *
 * The space is for a temporary file, which the rows need beyond `work_mem`. It is in the tablespace of the table if the user
 * may CREATE there, else in the database's own. The message makes it a transaction that writes, and is nothing but a record
 * of the WAL (PostgreSQL documentation, «Replication Management Functions»). Neither needs a privilege.
 */
function commitWithSpace(table: string): string {
  return `select pg_logical_emit_message(true, 'plant-store', '') from (
    select count(*) from generate_series(1, case when set_config('work_mem', '64kB', true) is not null
      and set_config('temp_tablespaces', coalesce((
        select quote_ident(spcname) from pg_class join pg_tablespace on pg_tablespace.oid = reltablespace
        where pg_class.oid = to_regclass('${table}') and has_tablespace_privilege(reltablespace, 'create')), ''), true)
      is not null then ${ROWS_BEYOND_WORK_MEM} end)) as beyond_work_mem`;
}

/** Rows of one integer, some 24 bytes each in memory: about twice the 64 kB, the least that `work_mem` may be. */
const ROWS_BEYOND_WORK_MEM = 5_000;

/** 50 ms: many times what a commit takes, and hardly noticed by the other adds of the batch. 1 ms is PostgreSQL's minimum. */
export function lockTimeoutMs(mayWait: boolean): number {
  return mayWait ? 50 : 1;
}

/** What PostgreSQL calls the type of a column. */
function typeOf({ type }: NamedColumn): string {
  return { int64: 'int8', double: 'float8', text: 'text' }[type];
}

/** A value as PostgreSQL reads it. */
function textIn(item: object, column: NamedColumn): string | null {
  const value = valueIn(item, column);
  return value === null ? null : String(value);
}

/** The values of a column, as PostgreSQL reads an array. */
const arrayIn = (items: readonly object[], column: NamedColumn) =>
  arrayOfTexts(
    items.map((item) => textIn(item, column)),
    column,
  );

function arrayOfTexts(texts: readonly (string | null)[], { type }: NamedColumn): string {
  return type === 'text' ? arrayOf(texts) : `{${texts.map((each) => each ?? 'NULL').join()}}`;
}
