import { newDatabase } from '../shared-server.ts';
import { runSql } from './run-sql.ts';

/**
 * Creates an empty database, encoded in UTF-8, and resolves with its URL. It is dropped at the end of the
 * run.
 *
 * @param serverUrl a database of another server than the one that the run shares, such as a dedicated one's `url`.
 */
export async function freshDatabase(serverUrl?: string): Promise<string> {
  // Copying files is half of the CPU of copying pages through the log, but needs two checkpoints, which are slow if they
  // sync: servers that the run starts for itself do not.
  const strategy = serverUrl || process.env['TEST_DATABASE_URL'] ? 'wal_log' : 'file_copy';
  // template0 alone may be copied with any encoding, and however many connections the server has.
  return newDatabase('postgres', serverUrl, (url, name) =>
    runSql(url, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' STRATEGY ${strategy}`),
  );
}
