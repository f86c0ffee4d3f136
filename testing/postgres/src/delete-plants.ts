import { runSql } from './run-sql.ts';

/** Empties a migrated database while a store is open on it. */
export async function deletePlants(url: string): Promise<void> {
  await runSql(url, 'DELETE FROM plants');
}
