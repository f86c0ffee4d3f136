import { type PlantRow, plantColumns, textsOf } from '@plant-store/store-kit';
import type { SqlStatements } from '@plant-store/store-kit/sql';
import type { Session } from './database.ts';
import { isConflict, mysqlErrors } from './errors.ts';
import { findBlocker } from './lock-holder.ts';
import { checkSession, tableIdentity } from './table.ts';

/** The statements of a store on MySQL or MariaDB. */
export function statementsOn(): SqlStatements<Session> {
  const identityOf = tableIdentity();
  return {
    insert,
    begin: () => ['begin'],
    insertPart: (session, rows) => insert(session, rows, INSERT_WITHOUT_WAITING),
    async findUnlocked(session, ids) {
      const rows = await session.query(`select ${plantColumns} from plants where id in (?)`, [ids]);
      if ((rows as PlantRow[]).length > 0) await writeDurably(session);
      return rows as PlantRow[];
    },
    /** Uncommitted inserts and deletes count as taken, because an INSERT would wait for them and MySQL has no NOWAIT for it. */
    async stored(session, ids) {
      const read = async () =>
        (await session.query('select id from plants where id in (?)', [ids])) as { id: bigint }[];
      const uncommitted = ['set transaction isolation level read uncommitted', 'begin'];
      const rows = [...(await read()), ...(await session.transaction(uncommitted, read))];
      return new Set(rows.map(({ id }) => id));
    },
    /** Runs an INSERT without rows, and a durable commit. */
    async probe(session) {
      await session.query(`insert into plants (${plantColumns}) select ${plantColumns} from plants where false`);
      await writeDurably(session);
    },
    checkTable: async (session, withinMs) => identityOf(await checkSession(session, withinMs)),
    async firstAndLast(session) {
      const [ends] = (await session.query('select min(id) as first, max(id) as last from plants')) as [Ends];
      return [ends.first, ends.last];
    },
    lockHolder: findBlocker,
    isConflict,
    errors: mysqlErrors,
  };
}

interface Ends {
  readonly first: bigint | null;
  readonly last: bigint | null;
}

async function insert(session: Session, rows: readonly PlantRow[], statement = INSERT): Promise<'all'> {
  await session.query(statement, [rows.map((row) => [row.id, ...textsOf(row)])]);
  return 'all';
}

/**
 * Inserts all rows or none. IGNORE and ON DUPLICATE KEY do not report which rows were stored, and hide other errors. `json_table`
 * takes 1.5 times as long for 1 row and 1.0 to 1.2 times for 500. Kysely's `values` takes 1.2 to 1.4 times.
 */
const INSERT = `insert into plants (${plantColumns}) values ?`;

/**
 * MariaDB does not wait for a locked row or gap, which `stored` does not see. MySQL has no SET STATEMENT and reads a comment, so it waits
 * for the 1 s of its sessions, the shortest that it allows.
 */
const INSERT_WITHOUT_WAITING = `/*M! set statement innodb_lock_wait_timeout = 0 for */ ${INSERT}`;

/**
 * Resolves once every row that a session has seen is durable. InnoDB shows a row, and lets others lock it, before the log with its
 * commit is synced. There is one log, so the sync of a later commit covers it. A transaction that changes nothing, such as a locking
 * read, writes no log and waits for nothing. The same holds for semi-synchronous replicas.
 */
async function writeDurably(session: Session): Promise<void> {
  // With random slots concurrent sessions rarely wait for each other's row.
  const slot = Math.floor(Math.random() * SLOTS);
  await session.query(WRITE_SLOT, [slot]);
}

const WRITE_SLOT =
  'insert into plant_store_sync (slot, writes) values (?, 1) on duplicate key update writes = writes + 1';

/** The maximum number of rows of the table. */
const SLOTS = 1_024;
