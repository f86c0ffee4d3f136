import pg from 'pg';

/**
 * Runs one statement on a connection of its own and resolves with its rows.
 *
 * @throws what pg throws, such as a `DatabaseError`.
 */
export async function runSql(connectionString: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: ENOUGH_MS, query_timeout: ENOUGH_MS });
  // A connection that is cut off rejects the statement; without a listener it would end the process as well.
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Creating and dropping a database takes well below a second, on a busy server some. */
const ENOUGH_MS = 20_000;
