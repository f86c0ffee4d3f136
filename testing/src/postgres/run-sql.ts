import pg from 'pg';

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
