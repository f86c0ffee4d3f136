import { runSql } from '@plant-store/testing-postgres';
import pg from 'pg';
import { onTestFinished } from 'vitest';

/** The statements of backends of the database that wait for a lock. */
export async function waitingForLocks(url: string): Promise<readonly unknown[]> {
  return runSql(
    url,
    `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
}

/** Terminates them, as an operator does. */
export async function terminate(url: string, pids: readonly number[]): Promise<void> {
  await runSql(url, 'SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [pids]);
}

/** Locks the table of plants, so that every add hangs on the server. */
export async function lockPlants(url: string): Promise<{ readonly pid: number; unlock(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('BEGIN; LOCK TABLE plants');
  let unlocked: Promise<void> | undefined;
  const unlock = () => (unlocked ??= client.end());
  onTestFinished(unlock);
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  return { pid: rows[0].pid, unlock };
}
