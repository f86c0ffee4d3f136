import pg from 'pg';
import { newDatabase } from '../index.ts';
import { runSql } from './run-sql.ts';

/**
 * Creates an empty database, encoded in UTF-8, and resolves with its URL. It is dropped at the end of the
 * run.
 *
 * @param serverUrl a database of another server than the one that the run shares, such as a dedicated one's `url`.
 */
export async function freshDatabase(serverUrl?: string): Promise<string> {
  // template0 alone may be copied with any encoding, and however many connections the server has.
  return createDatabase(serverUrl, "TEMPLATE template0 ENCODING 'UTF8'");
}

/**
 * The same with everything that another database of the server has: cheaper than to make it again. Whoever is still
 * connected to that is disconnected.
 */
export async function copyOfDatabase(url: string, serverUrl?: string): Promise<string> {
  const template = new URL(url).pathname.slice(1);
  const copy = () => createDatabase(serverUrl, `TEMPLATE ${template}`);
  try {
    return await copy();
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === OBJECT_IN_USE)) throw error;
    // A pooler keeps its connections open.
    await runSql(url, DISCONNECT);
    return copy();
  }
}

const OBJECT_IN_USE = '55006';
const DISCONNECT = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

async function createDatabase(serverUrl: string | undefined, options: string): Promise<string> {
  // Copying files is half of the CPU of copying pages through the log, but needs two checkpoints, which are slow if they
  // sync: servers that the run starts for itself do not.
  const strategy = serverUrl || process.env['TEST_DATABASE_URL'] ? 'wal_log' : 'file_copy';
  return newDatabase('postgres', serverUrl, (url, name) =>
    runSql(url, `CREATE DATABASE ${name} ${options} STRATEGY ${strategy}`),
  );
}
