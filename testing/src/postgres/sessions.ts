import pg from 'pg';
import { onTestFinished } from 'vitest';
import { runSql } from './run-sql.ts';

/** Lists the process ids of the database's backends, without `except` and that of this call. */
export async function backends(url: string, ...except: number[]): Promise<readonly number[]> {
  const rows = await runSql(
    url,
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'
       AND pid <> pg_backend_pid() AND pid <> ALL ($1) ORDER BY pid`,
    [except],
  );
  return rows.map(({ pid }) => Number(pid));
}

/** Runs a statement in a transaction that stays open until the test ends. */
export async function openTransaction(url: string, statement: string): Promise<{ end(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let ended: Promise<void> | undefined;
  const end = () => (ended ??= client.end());
  onTestFinished(end);
  await client.query(`BEGIN; ${statement}`);
  return { end };
}
