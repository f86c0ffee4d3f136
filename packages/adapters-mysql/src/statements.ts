import { type NewPlant, type Plant, type PlantRow, plantOf, textFields } from '@plant-store/domain';
import mysql from 'mysql2';
import type { Connections } from './driver/connections.ts';
import type { Session } from './driver/session.ts';
import { isDuplicate, isLocked, MysqlError, TOO_LARGE } from './errors.ts';

/** What became of an insert: all of its plants are stored, or none, because an id is taken or locked. */
type Inserted = 'all' | 'taken' | 'locked';

/**
 * Inserts plants, all or none, with one statement and one commit. It is a plain INSERT: one with IGNORE or ON DUPLICATE
 * KEY does not say which rows it stored, and hides what else is wrong with the others.
 *
 * Every writer inserts in the order of the ids: two of them may wait for one another, but seldom deadlock.
 *
 * @param options.wait false: what is locked at this moment counts as locked.
 * @throws what the server reports of anything but a taken or locked id.
 */
export function insert(connections: Connections, plants: readonly NewPlant[], { wait = true } = {}): Promise<Inserted> {
  return connections.use(async (session) => {
    const statement = insertStatement(plants);
    assertFits(statement, session.maxAllowedPacket, plants.length);
    try {
      await (wait ? session.query(statement) : insertAtOnce(session, statement, plants));
      return 'all';
    } catch (error) {
      if (isLocked(error)) return 'locked';
      // Another unique index that an operator has added refuses the plant, and no id is taken then.
      if (isDuplicate(error) && (await selectIds(session, plants)).size > 0) return 'taken';
      throw error;
    }
  });
}

/**
 * MySQL cannot insert without waiting, so the rows are read with NOWAIT first. Its locks end with that statement: a row that
 * is locked in between is still waited for, and so is a locked gap. Where MySQL finds it cheaper to read the whole table, a
 * lock on any row counts, and smaller parts are tried; a single id is always looked up.
 */
async function insertAtOnce(session: Session, statement: string, plants: readonly NewPlant[]): Promise<void> {
  if (session.isMariaDb) await session.query(`set statement innodb_lock_wait_timeout = 0 for ${statement}`);
  else {
    await selectIds(session, plants, ' for share nowait');
    await session.query(statement);
  }
}

const columns = ['id', ...textFields].join(', ');

/**
 * Text, and not a prepared statement: those are per number of rows, and to the server of no advantage where it parses
 * less than it writes. `escape` is mysql2's; the session's `sql_mode` is one in which it means what it says.
 */
function insertStatement(plants: readonly NewPlant[]): string {
  const rows = plants
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map((plant) => `(${[plant.id, ...textFields.map((field) => mysql.escape(plant[field] ?? null))].join()})`);
  return `insert into plants (${columns}) values ${rows.join()}`;
}

/** The server would close the connection: the plant's own fault would look like an outage. */
function assertFits(statement: string, maxBytes: number, plants: number): void {
  // The first comparison is quick, and enough for nearly all.
  if (statement.length * 3 < maxBytes || Buffer.byteLength(statement) < maxBytes) return;
  const what = plants === 1 ? 'the plant is' : 'these plants are';
  throw new MysqlError(
    `${what} larger than a statement may be, ${maxBytes} bytes: raise max_allowed_packet on the server`,
    { errno: TOO_LARGE, sqlState: '08S01' },
  );
}

/**
 * The plants that have the ids, as far as they are committed, once they are durable. One session does both: another one
 * could be to another server, or to one that has lost, when it crashed, what was found before.
 */
export async function findPlants(
  connections: Connections,
  plants: readonly NewPlant[],
): Promise<ReadonlyMap<bigint, Plant>> {
  const rows = await connections.use(async (session) => {
    const found = await session.query(`select ${columns} from plants where id in (${idsOf(plants)})`);
    if ((found as unknown[]).length > 0) await writeDurably(session);
    return found;
  });
  return new Map((rows as (PlantRow & { readonly id: string })[]).map((row) => [BigInt(row.id), plantOf(row)]));
}

/**
 * The ids that a row has, be it one that another session has not committed yet: to insert one of those would wait. No
 * outcome may rest on it.
 */
export function occupiedIds(connections: Connections, plants: readonly NewPlant[]): Promise<ReadonlySet<bigint>> {
  return connections.use(async (session) => {
    // For the next transaction, which is the next statement.
    await session.query('set transaction isolation level read uncommitted');
    try {
      return await selectIds(session, plants);
    } catch (error) {
      // If it failed before its transaction began, the next statement would be one of that isolation.
      session.destroy();
      throw error;
    }
  });
}

async function selectIds(session: Session, plants: readonly NewPlant[], lock = ''): Promise<ReadonlySet<bigint>> {
  const rows = await session.query(`select id from plants where id in (${idsOf(plants)})${lock}`);
  return new Set((rows as { readonly id: string }[]).map(({ id }) => BigInt(id)));
}

function idsOf(plants: readonly NewPlant[]): string {
  return plants.map(({ id }) => id).join();
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

/**
 * Fails whenever an add would, for lack of a server, a setting, a table, a privilege or space: it inserts nothing, and
 * commits.
 */
export async function checkCanAdd(connections: Connections): Promise<void> {
  await connections.use(async (session) => {
    await session.check();
    await session.query(`insert into plants (${columns}) select ${columns} from plants where false`);
    await writeDurably(session);
  });
}
