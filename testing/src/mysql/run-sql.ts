import { createConnection } from 'mysql2/promise';

/**
 * Runs one statement on a connection of its own, and resolves with its rows; every int64 is text.
 *
 * @throws what mysql2 throws.
 */
export async function runSql(
  url: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly Record<string, unknown>[]> {
  const connection = await createConnection({ uri: url, connectTimeout: 10_000, ...INT64_AS_TEXT });
  try {
    const [rows] = await connection.query(sql, [...values]);
    return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : [];
  } finally {
    await connection.end();
  }
}

const INT64_AS_TEXT = { supportBigNumbers: true, bigNumberStrings: true };
