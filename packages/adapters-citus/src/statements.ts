import {
  type FoundTable,
  type PlantTable,
  type Session,
  statementsOn as statementsOfPostgres,
} from '@plant-store/adapters-postgres/driver';
import type { CompleteServerOptions, Database, PlantRow } from '@plant-store/store-kit';
import type { SqlStatements } from '@plant-store/store-kit/sql';
import type { CompiledQuery, Kysely } from 'kysely';
import { checkNodes } from './nodes.ts';

/**
 * The statements of a store on Citus. They differ from PostgreSQL's if Citus would plan those once for each shard. An insert is a
 * multi-row VALUES (500 plants take 33 ms, and 782 ms from `unnest`), and each row is locked by its own statement.
 */
export function statementsOn(
  kysely: Kysely<Database>,
  table: PlantTable,
  { timeoutMs }: Pick<CompleteServerOptions, 'timeoutMs'>,
): SqlStatements<Session> {
  const postgres = statementsOfPostgres(kysely, table);
  const db = () => kysely.withSchema(table.schema);
  const begin = (lockTimeout: string) => [
    `begin; ${localSettings(table)}`,
    // The only statement of its message, because Citus forwards the whole message.
    `set local lock_timeout = '${lockTimeout}'`,
  ];

  async function insertPart(session: Session, rows: readonly PlantRow[]): Promise<ReadonlySet<bigint> | 'all'> {
    const insert = db()
      .insertInto('plants')
      .values([...rows])
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id');
    const added = await rowsOf(session, insert.compile());
    return added.length === rows.length ? 'all' : new Set(added.map(({ id }) => id));
  }

  async function findUnlocked(session: Session, ids: readonly bigint[]): Promise<readonly PlantRow[]> {
    const found: PlantRow[] = [];
    for (const id of ids) {
      const lock = db().selectFrom('plants').selectAll().where('id', '=', id).forKeyShare().skipLocked().compile();
      found.push(...(await session.transaction(begin('50ms'), () => rowsOf(session, lock))));
    }
    return found;
  }

  return {
    ...postgres,
    insert: (session, rows) => session.transaction(begin('50ms'), () => insertPart(session, rows)),
    // A block would send each row to its node by itself.
    insertIndividually: async () => undefined,
    begin: () => begin('1ms'),
    insertPart,
    findUnlocked,
    /** If the table is not distributed, PostgreSQL's probe applies. */
    async probe(session) {
      const { isDistributed } = await table.check(session, timeoutMs, true);
      // Citus locks no rows of several shards in one statement.
      await (isDistributed ? findUnlocked(session, [0n]) : postgres.probe(session));
    },
    checkTable: async (session, withinMs) => (await checkCluster(session, table, withinMs)).oid,
  };
}

async function rowsOf<Row extends object>(session: Session, query: CompiledQuery<Row>): Promise<readonly Row[]> {
  return (await session.query<Row>({ text: query.sql, values: [...query.parameters] })).rows;
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

/** The settings of the coordinator's transaction. `checkNodes` checks those of the nodes. */
const localSettings = ({ synchronousCommit }: PlantTable) =>
  `set local synchronous_commit = ${synchronousCommit}; set local client_min_messages = warning; ${PROPAGATE}`;

/** Makes Citus send the next `SET LOCAL` to the nodes. It does not forward `set_config` or settings of the session. */
const PROPAGATE = `set local citus.propagate_set_commands = 'local'`;
