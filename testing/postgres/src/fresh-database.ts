import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import type { ProvidedPostgres } from './provided.ts';
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
    await runSql(serverUrl ?? provided().url, DISCONNECT, [template]);
    return copy();
  }
}

const OBJECT_IN_USE = '55006';
const DISCONNECT = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1';

async function createDatabase(serverUrl: string | undefined, options: string): Promise<string> {
  const server = serverUrl ? { url: serverUrl, databasePrefix: 'plant_store_test_', fsync: true } : provided();
  const { url, databasePrefix, fsync } = server;
  const name = databasePrefix + randomBytes(6).toString('hex');
  // Copying files is half of the CPU of copying pages through the log, but needs two checkpoints, which are slow if they sync.
  const strategy = fsync ? 'wal_log' : 'file_copy';
  await runSql(url, `CREATE DATABASE ${name} ${options} STRATEGY ${strategy}`);
  const database = new URL(url);
  database.pathname = name;
  return database.href;
}

function provided(): ProvidedPostgres {
  const postgres: ProvidedPostgres | undefined = inject('postgres');
  if (postgres) return postgres;
  throw new Error(
    "no server was started for this run: list '@plant-store/testing-postgres/global-setup' under globalSetup in this project's vitest.config.ts",
  );
}
