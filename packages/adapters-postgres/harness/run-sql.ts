import pg from 'pg';
import { parseConnectionString } from '../src/connection-string.ts';

/** Connects outside of a pool. A busy server may take seconds to create or drop a schema. */
export async function connect(connectionString: string): Promise<pg.Client> {
  const { url } = parseConnectionString(connectionString);
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 20_000, query_timeout: 20_000 });
  await client.connect();
  return client;
}

/** Runs statements on a connection of its own, and resolves with the rows of a single one. @throws {Error} pg's error. */
export async function runSql(connectionString: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = await connect(connectionString);
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
