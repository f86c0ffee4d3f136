import { exportSource } from '@plant-store/adapters-postgres/driver';
import type { PlantExport } from '@plant-store/domain';
import type { CompleteServerOptions, Database } from '@plant-store/store-kit';
import { type ExportSource, exportPlants } from '@plant-store/store-kit/sql';
import { type Kysely, sql } from 'kysely';
import { postgresOptions } from './connection-string.ts';
import { hasCitus } from './distribute.ts';
import type { CitusOptions } from './options.ts';

/**
 * Reads the plants of a Citus cluster, each worker in one snapshot. It calls `onWarning` for nodes with prepared transactions, as
 * after a crash. Their plants are acknowledged, and become visible when Citus has recovered them.
 *
 * @throws {RangeError} if an option is out of its range.
 * @throws {Error} if the connection string cannot be used.
 */
export function citusExport(options: CitusOptions): PlantExport {
  return exportPlants({ ...exportSource, open }, postgresOptions(options));
}

const open: ExportSource['open'] = async (options) => {
  const db = await exportSource.open(options);
  try {
    await warnOfPreparedTransactions(db, options);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
};

async function warnOfPreparedTransactions(db: Kysely<Database>, { onWarning }: CompleteServerOptions): Promise<void> {
  if (!(await hasCitus(db))) return;
  const { rows } = await sql<{ node: string; count: string }>`
    select nodename || ':' || nodeport as node, result as count
    from run_command_on_workers(
      $$select count(*) from pg_prepared_xacts where gid like 'citus\\_%' and database = current_database()$$)
    where success and result <> '0'`.execute(db);
  for (const { node, count } of rows)
    onWarning(
      `Citus node ${node} has ${count} prepared transactions: the export misses their plants until Citus recovers them, after citus.recover_2pc_interval or with SELECT recover_prepared_transactions()`,
    );
}
