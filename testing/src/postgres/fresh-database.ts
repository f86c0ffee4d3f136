import { newDatabase } from '../shared-server.ts';
import { runSql } from './run-sql.ts';

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
