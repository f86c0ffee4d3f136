import {
  type FoundTable,
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
 * The statements of a store on Citus. They differ from PostgreSQL's if Citus would plan those once for each shard. An insert is a
 * multi-row VALUES (500 plants take 33 ms, and 782 ms from `unnest`), and each row is locked by its own statement.
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
    await transaction.executeQuery(CompiledQuery.raw(localSettings(table)));
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

  /** If the table is not distributed, PostgreSQL's probe applies. */
  async function probe(): Promise<void> {
    const { isDistributed } = await sessions.use((session) => checkCluster(session, table, options.timeoutMs));
    // Citus locks no rows of several shards in one statement.
    await (isDistributed ? findUnlocked([0n]) : postgres.probe());
  }

  // The nodes would not bound the lock waits of PostgreSQL's block.
  const insertIndividually = async () => undefined;
  const checkTable = () => sessions.use(async (session) => (await checkCluster(session, table, options.timeoutMs)).oid);
  return { ...postgres, insert, insertIndividually, insertWithoutWaiting, findUnlocked, probe, checkTable };
}

/**
 * Checks the table, and the nodes if it is distributed.
 *
 * @returns the table.
 * @throws {StoreUnsafe} with what to do; {@link StoreUnavailable} if a node does not respond.
 */
export async function checkCluster(session: Session, table: PlantTable, timeoutMs: number): Promise<FoundTable> {
  const found = await table.check(session, timeoutMs, true);
  if (found.isDistributed) await checkNodes(session);
  return found;
}

const insertOf = (db: Kysely<Database>, rows: readonly PlantRow[]): CompiledQuery<Pick<PlantRow, 'id'>> =>
  db
    .insertInto('plants')
    .values([...rows])
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .compile();

/** Runs and commits a statement with a lock timeout that also applies on the nodes. */
async function inTransaction<Row extends object>(
  session: Session,
  table: PlantTable,
  { sql, parameters }: CompiledQuery<Row>,
): Promise<readonly Row[]> {
  try {
    await session.query({ text: `begin; ${localSettings(table)}` });
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

/** The settings of the coordinator's transaction. `checkNodes` checks those of the nodes. */
const localSettings = ({ synchronousCommit }: PlantTable) =>
  `set local synchronous_commit = ${synchronousCommit}; set local client_min_messages = warning; ${PROPAGATE}`;

/**
 * Makes Citus send the next `SET LOCAL` to the nodes. That has to be the only statement of its message, because Citus forwards the
 * whole message. Citus does not forward `set_config` or settings of the session.
 */
const PROPAGATE = `set local citus.propagate_set_commands = 'local'`;
