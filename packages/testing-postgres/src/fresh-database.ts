import { randomBytes } from 'node:crypto';
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
  return create(serverUrl, "template0 ENCODING 'UTF8'");
}

/**
 * The same with everything that another database of the server has, to which nobody may be connected: cheaper than to make
 * it again.
 */
export async function copyOfDatabase(url: string, serverUrl?: string): Promise<string> {
  return create(serverUrl, new URL(url).pathname.slice(1));
}

async function create(serverUrl: string | undefined, template: string): Promise<string> {
  const { url, databasePrefix } = serverUrl ? { url: serverUrl, databasePrefix: 'plant_store_test_' } : provided();
  const name = databasePrefix + randomBytes(6).toString('hex');
  // Files that are copied, rather than pages through the log: half of the CPU where nothing is synced.
  await runSql(url, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
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
