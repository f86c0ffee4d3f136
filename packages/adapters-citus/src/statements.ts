import {
  type PlantTable,
  type PostgresDatabase,
  postgresErrors,
  type Session,
  statementsOn as statementsOfPostgres,
} from '@plant-store/adapters-postgres/driver';
import type { CompleteServerOptions } from '@plant-store/store-kit';
import type { Database, PlantRow, SqlStatements } from '@plant-store/store-kit/sql';
import { CompiledQuery, type Kysely } from 'kysely';
import { checkNodes } from './nodes.ts';

/**
 * The statements of a store. They differ from PostgreSQL's where Citus would plan those as one for each shard: an insert is a
 * multi-row VALUES (500 plants in 33 ms; from `unnest` in 782 ms), and a row is locked by its id alone.
 */
export function statementsOn(
  database: PostgresDatabase,
  table: PlantTable,
  options: CompleteServerOptions,
): SqlStatements {
  const { sessions } = database;
  const postgres = statementsOfPostgres(database, table, options);
  const db = () => database.db.withSchema(table.schema);

  async function insert(rows: readonly PlantRow[]): Promise<ReadonlySet<bigint> | 'all'> {
    const added = await sessions.use((session) => inTransaction(session, table, insertOf(db(), rows)));
    return added.length === rows.length ? 'all' : new Set(added.map(({ id }) => id));
  }

  async function insertWithoutWaiting(
    transaction: Kysely<Database>,
    rows: readonly PlantRow[],
  ): Promise<ReadonlySet<bigint>> {
    await transaction.executeQuery(CompiledQuery.raw(beginningOf(table)));
    await transaction.executeQuery(CompiledQuery.raw(`set local lock_timeout = '1ms'`));
    const added = await transaction.executeQuery(insertOf(db(), rows));
    return new Set(added.rows.map(({ id }) => id));
  }

  async function findUnlocked(ids: readonly bigint[]): Promise<readonly PlantRow[]> {
    const found: PlantRow[] = [];
    for (const id of ids) {
      const lock = db().selectFrom('plants').selectAll().where('id', '=', id).forKeyShare().skipLocked().compile();
      found.push(...(await sessions.use((session) => inTransaction(session, table, lock))));
    }
    return found;
  }

  /** While the table is not distributed it is a table of PostgreSQL's. */
  async function probe(): Promise<void> {
    const isDistributed = await sessions.use((session) => checkCluster(session, table, options.timeoutMs));
    // Citus locks no rows of several shards in one statement.
    await (isDistributed ? findUnlocked([0n]) : postgres.probe());
  }

  // What PostgreSQL inserts apart in one message, the nodes would not bound the waits of.
  const insertIndividually = async () => undefined;
  const checkTable = () =>
    sessions.use(async (session) => void (await checkCluster(session, table, options.timeoutMs)));
  return { ...postgres, insert, insertIndividually, insertWithoutWaiting, findUnlocked, probe, checkTable };
}

/**
 * Refuses a session, or a cluster, whose commits would not be durable.
 *
 * @returns whether the table is distributed.
 * @throws {StoreUnsafe} with what to do; {@link StoreUnavailable} when a node does not respond.
 */
export async function checkCluster(session: Session, table: PlantTable, withinMs: number): Promise<boolean> {
  const isDistributed = await table.check(session, withinMs, true);
  if (isDistributed) await checkNodes(session);
  return isDistributed;
}

const insertOf = (db: Kysely<Database>, rows: readonly PlantRow[]): CompiledQuery<Pick<PlantRow, 'id'>> =>
  db
    .insertInto('plants')
    .values([...rows])
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .compile();

/** Runs a statement whose waits for locks are bounded on the nodes as well, and commits it. */
async function inTransaction<Row extends object>(
  session: Session,
  table: PlantTable,
  { sql, parameters }: CompiledQuery<Row>,
): Promise<readonly Row[]> {
  try {
    await session.query({ text: `begin; ${beginningOf(table)}` });
    await session.query({ text: `set local lock_timeout = '50ms'` });
    const { rows } = await session.query<Row>({ text: sql, values: [...parameters] });
    await session.query({ text: 'commit' });
    return rows;
  } catch (error) {
    // A lost connection has nothing to roll back.
    if (!postgresErrors.isConnectionLost(error)) await session.query({ text: 'rollback' });
    throw error;
  }
}

/** What this server's own commit needs; the nodes' is checked there. */
const beginningOf = ({ synchronousCommit }: PlantTable) =>
  `set local synchronous_commit = ${synchronousCommit}; set local client_min_messages = warning; ${PROPAGATE}`;

/**
 * Has the nodes take what a transaction sets next, by a statement that is alone in its message: Citus sends them the message. In
 * `set_config` or a session's settings the coordinator would keep it for itself.
 */
const PROPAGATE = `set local citus.propagate_set_commands = 'local'`;
