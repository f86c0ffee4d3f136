import { type DedicatedServer, freshDatabase, runSql, startDedicatedServer } from '@plant-store/testing-postgres';
import { onTestFinished } from 'vitest';

/** A PostgreSQL server for one test, with a database owned by an ordinary user. */
export interface DedicatedStore {
  readonly server: DedicatedServer;
  /** The database as its owner, to whom every limit of the server applies. */
  readonly url: string;
  /** Runs one statement in the database as superuser. */
  sql(statement: string): Promise<readonly Record<string, unknown>[]>;
}

/** Starts it; it stops after the test. */
export async function startStore(): Promise<DedicatedStore> {
  const server = await startDedicatedServer();
  onTestFinished(() => server.stop());
  const database = await freshDatabase(server.url);
  const name = new URL(database).pathname.slice(1);
  await runSql(server.url, 'CREATE ROLE gardener LOGIN');
  await runSql(server.url, `ALTER DATABASE ${name} OWNER TO gardener`);
  const url = new URL(database);
  url.username = 'gardener';
  return { server, url: url.href, sql: (statement) => runSql(database, statement) };
}

/** Changes settings of the running server. */
export async function configure({ server }: DedicatedStore, settings: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(settings))
    await runSql(server.url, `ALTER SYSTEM SET ${name} = '${value}'`);
  await runSql(server.url, 'SELECT pg_reload_conf()');
}
