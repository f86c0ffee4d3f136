import { createConnection } from 'mysql2/promise';

/**
 * Runs one statement on a connection of its own, and resolves with its rows. Every int64 is a string.
 *
 * @throws {Error} mysql2's error.
 */
export async function runSql(
  url: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly Record<string, unknown>[]> {
  const int64AsString = { supportBigNumbers: true, bigNumberStrings: true };
  const connection = await createConnection({ uri: url, connectTimeout: 10_000, ...int64AsString });
  try {
    const [rows] = await connection.query(sql, [...values]);
    return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : [];
  } finally {
    await connection.end();
  }
}
