import pg from 'pg';

/**
 * Runs one statement, or several without values, on a connection of its own, and resolves with the rows of the last.
 *
 * @throws what pg throws, such as a `DatabaseError`.
 */
export async function runSql(
  url: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // A lost connection rejects the statement; without a listener it would also end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    const results = await client.query(values.length > 0 ? { text: sql, values: [...values] } : sql);
    return [results].flat().at(-1)?.rows ?? [];
  } finally {
    await client.end();
  }
}
