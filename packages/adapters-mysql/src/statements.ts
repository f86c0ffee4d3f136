import type { Done } from '@plant-store/group-commit';
import { type AnyResult, type NamedColumn, type Row, type Table, valueIn } from '@plant-store/sql-store';
import mysql from 'mysql2';
import type { Connections } from './driver/connections.ts';
import type { Session } from './driver/session.ts';
import { isDuplicate, isLocked, MysqlError, TOO_LARGE } from './errors.ts';

/** The statements of a table, on the connections of a store. */
export type Statements<Item extends object, Key extends bigint | string, Result extends AnyResult> = ReturnType<
  typeof statementsOf<Item, Key, Result>
>;

/** What became of an insert: all of its records are stored, or none, because a key is taken or locked. */
type Inserted = 'all' | 'taken' | 'locked';

/**
 * Made once, when a store is opened. Text, and neither Kysely's nor prepared statements: those are per number of rows, and to
 * the server of no advantage where it parses less than it writes. `escape` is mysql2's; the session's `sql_mode` is one in
 * which it means what it says.
 */
export function statementsOf<Item extends object, Key extends bigint | string, Result extends AnyResult>(
  table: Table<Item, Key, Result>,
  { use }: Pick<Connections, 'use'>,
) {
  const { name, noun, key, columns, keyOf, keyFrom } = table;
  const names = columns.map((column) => column.name).join(', ');
  const insertNone = `insert into ${name} (${names}) select ${names} from ${name} where false`;

  function insertOf(items: readonly Item[]): string {
    const rows = table
      .sorted(items)
      .map((item) => `(${columns.map((column) => literal(valueIn(item, column), column)).join()})`);
    return `insert into ${name} (${names}) values ${rows.join()}`;
  }

  function select(what: string, those: readonly Key[], lock = ''): string {
    return `select ${what} from ${name} where ${key.name} in (${those.map((each) => literal(each, key)).join()})${lock}`;
  }

  async function keysAmong(session: Session, those: readonly Key[], lock = ''): Promise<ReadonlySet<Key>> {
    const rows = await session.query(select(key.name, those, lock));
    return new Set((rows as Row[]).map((row) => keyFrom(row[key.name])));
  }

  /**
   * MySQL cannot insert without waiting, so the rows are read with NOWAIT first. Its locks end with that statement: a row that
   * is locked in between is still waited for, and so is a locked gap. Where MySQL finds it cheaper to read the whole table, a
   * lock on any row counts, and smaller parts are tried; a single key is always looked up.
   */
  async function insertAtOnce(session: Session, statement: string, items: readonly Item[]): Promise<void> {
    if (session.isMariaDb) await session.query(`set statement innodb_lock_wait_timeout = 0 for ${statement}`);
    else {
      await keysAmong(session, items.map(keyOf), ' for share nowait');
      await session.query(statement);
    }
  }

  return {
    /**
     * Inserts records, all or none, with one statement and one commit. It is a plain INSERT: one with IGNORE or ON DUPLICATE
     * KEY does not say which rows it stored, and hides what else is wrong with the others.
     *
     * @param mayWait false: what is locked at this moment counts as locked.
     * @throws what the server reports of anything but a taken or locked key.
     */
    insert: (items: readonly Item[], mayWait: boolean): Promise<Inserted> =>
      use(async (session) => {
        const statement = insertOf(items);
        assertFits(statement, session.maxAllowedPacket, items.length === 1 ? `the ${noun} is` : `these ${noun}s are`);
        try {
          await (mayWait ? session.query(statement) : insertAtOnce(session, statement, items));
          return 'all';
        } catch (error) {
          if (isLocked(error)) return 'locked';
          // Another unique index that an operator has added refuses the record, and no key is taken then.
          if (isDuplicate(error) && (await keysAmong(session, items.map(keyOf))).size > 0) return 'taken';
          throw error;
        }
      }),

    /** Be it one that another session has not committed yet: to insert one of those would wait. */
    notStored: (those: readonly Key[]): Promise<readonly Key[]> =>
      use(async (session) => {
        // For the next transaction, which is the next statement.
        await session.query('set transaction isolation level read uncommitted');
        try {
          const stored = await keysAmong(session, those);
          return those.filter((each) => !stored.has(each));
        } catch (error) {
          // If it failed before its transaction began, the next statement would be one of that isolation.
          session.destroy();
          throw error;
        }
      }),

    /**
     * As far as they are committed, once they are durable. One session does both: another one could be to another server, or
     * to one that has lost, when it crashed, what was found before.
     */
    findUnlocked: (those: readonly Key[]): Promise<ReadonlyMap<Key, Done<Result>>> =>
      use(async (session) => {
        const rows = (await session.query(select(names, those))) as Row[];
        if (rows.length > 0) await writeDurably(session);
        return new Map(rows.map((row) => [keyFrom(row[key.name]), table.exists(row)]));
      }),

    /** Fails whenever an add would, for lack of a server, a setting, a table, a privilege or space: it inserts nothing, and commits. */
    checkCanAdd: (): Promise<void> =>
      use(async (session) => {
        await session.check();
        await session.query(insertNone);
        await writeDurably(session);
      }),
  };
}

/** A value as a statement has it. */
function literal(value: ReturnType<typeof valueIn>, { type }: NamedColumn): string {
  return type === 'text' ? mysql.escape(value) : String(value);
}

/** The server would close the connection: the record's own fault would look like an outage. */
function assertFits(statement: string, maxBytes: number, what: string): void {
  // The first comparison is quick, and enough for nearly all.
  if (statement.length * 3 < maxBytes || Buffer.byteLength(statement) < maxBytes) return;
  throw new MysqlError(
    `${what} larger than a statement may be, ${maxBytes} bytes: raise max_allowed_packet on the server`,
    { errno: TOO_LARGE, sqlState: '08S01' },
  );
}

/**
 * Resolves once everything that any session has seen until now is durable. InnoDB lets others see a row, and lock it,
 * before the log with its commit is synced; the log is one, so a commit of one's own that comes later is not synced
 * before it. A transaction that changes nothing, a locking read above all, writes no log and waits for nothing.
 *
 * The same holds for replicas that have to confirm a commit (semi-synchronous replication).
 */
async function writeDurably(session: Session): Promise<void> {
  // Two at once hardly ever wait for one another's row.
  const slot = Math.floor(Math.random() * SLOTS);
  await session.query(
    `insert into plant_store_sync (slot, writes) values (${slot}, 1) on duplicate key update writes = writes + 1`,
  );
}

/** The most rows of the table. */
const SLOTS = 1_024;
