import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';
import { hasCitus } from './shard-map.ts';

/**
 * Which nodes of a Citus cluster hold transactions of a two-phase commit whose outcome they have not heard yet, as after
 * a crash. Their plants are acknowledged, and not visible until Citus has recovered them.
 *
 * @returns what to tell an operator, for each such node; nothing where there is no Citus.
 * @throws what PostgreSQL reports.
 */
export async function preparedTransactions(db: Kysely<Schema>): Promise<readonly string[]> {
  if (!(await hasCitus(db))) return [];
  const { rows } = await sql<{ node: string; count: string }>`
    select nodename || ':' || nodeport as node, result as count
    from run_command_on_workers(
      $$select count(*) from pg_prepared_xacts where gid like 'citus\\_%' and database = current_database()$$)
    where success and result <> '0'`.execute(db);
  return rows.map(
    ({ node, count }) =>
      `Citus node ${node} has ${count} prepared transactions: plants that were acknowledged in them are not visible until Citus recovers them, after citus.recover_2pc_interval or with SELECT recover_prepared_transactions()`,
  );
}
