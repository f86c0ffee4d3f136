import pg from 'pg';
import { onTestFinished } from 'vitest';
import { newDatabase } from '../shared-server.ts';

/**
 * Runs one statement, or several without values, on a connection of its own, and resolves with the rows of the last one.
 *
 * @throws {Error} pg's error, such as a `DatabaseError`.
 */
export async function runSql(
  url: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // Without a listener a lost connection would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    const results = await client.query(values.length > 0 ? { text: sql, values: [...values] } : sql);
    return [results].flat().at(-1)?.rows ?? [];
  } finally {
    await client.end();
  }
}

/**
 * Creates a database in UTF-8, and resolves with its URL. It is dropped at the end of the run.
 *
 * @param serverUrl the URL of a server, such as a dedicated one. By default the run's shared server.
 * @param template the name of the database to copy, to which nobody is connected. By default the database is empty.
 */
export async function freshDatabase(serverUrl?: string, template = 'template0'): Promise<string> {
  // `file_copy` takes half of the CPU, but two checkpoints, which are slow on servers that sync.
  const strategy = serverUrl || process.env['TEST_DATABASE_URL'] ? 'wal_log' : 'file_copy';
  // Only template0 can be copied with another encoding, and during other connections to it.
  return newDatabase('postgres', serverUrl, (url, name) =>
    runSql(url, `CREATE DATABASE ${name} TEMPLATE ${template} ENCODING 'UTF8' STRATEGY ${strategy}`),
  );
}

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
