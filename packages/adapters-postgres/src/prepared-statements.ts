import { hash } from 'node:crypto';
import pg from 'pg';

/**
 * Runs statements under names, so that the server parses and plans each of them once a connection. Where a pooler gives
 * every transaction another connection and does not follow prepared statements (PgBouncer before 1.21), the first one
 * that goes wrong is run again without a name, and so is everything after it.
 */
export interface PreparedStatements {
  run(client: pg.ClientBase, text: string, values: readonly unknown[]): Promise<pg.QueryResult>;
}

/** Makes them for one pool. */
export function preparedStatements(): PreparedStatements {
  const names = new Map<string, string>();
  let supported = true;

  return {
    async run(client, text, values) {
      const statement = { text, values: [...values] };
      if (!supported) return client.query(statement);
      const name = names.get(text) ?? nameOf(text);
      names.set(text, name);
      try {
        return await client.query({ ...statement, name });
      } catch (error) {
        if (!isAboutTheName(error)) throw error;
        supported = false;
        return client.query(statement);
      }
    },
  };
}

/** Of the text alone: behind a pooler, a name has to mean the same to every client and version that uses it. */
export function nameOf(text: string): string {
  return `plant-store-${hash('sha256', text, 'hex').slice(0, 32)}`;
}

/**
 * 26000, there is no such statement; 42P05, there is one already; 0A000 from where plans are looked over again, its plan
 * does not fit the changed table any more. All of them are found before anything is done.
 */
function isAboutTheName(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  return ['26000', '42P05'].includes(error.code ?? '') || error.routine === 'RevalidateCachedQuery';
}
