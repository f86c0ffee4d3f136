import { exportSource } from '@plant-store/adapters-postgres/driver';
import type { PlantExport } from '@plant-store/domain';
import { plants, type Tables } from '@plant-store/sql-store';
import { type ExportSource, exportTable } from '@plant-store/sql-store/export';
import { type Kysely, sql } from 'kysely';
import { hasCitus } from './cluster/shard-map.ts';
import { type CitusOptions, postgresOptions } from './options.ts';

/**
 * Reads the plants of a Citus cluster as `postgresExport` reads those of a server: each worker in one snapshot. A warning
 * says which nodes hold transactions of a two-phase commit whose outcome they have not heard yet, as after a crash. Their
 * plants are acknowledged, and not visible until Citus has recovered them.
 *
 * @throws {RangeError} when an option is out of its range.
 * @throws {Error} when the connection string cannot be used.
 */
export function citusExport(options: CitusOptions): PlantExport {
  return exportTable(plants, { ...exportSource, begin }, postgresOptions(options));
}

const begin: NonNullable<ExportSource['begin']> = async (db, { onWarning }) => {
  if (await hasCitus(db)) for (const warning of await preparedTransactions(db)) onWarning(warning);
};

async function preparedTransactions(db: Kysely<Tables>): Promise<readonly string[]> {
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
