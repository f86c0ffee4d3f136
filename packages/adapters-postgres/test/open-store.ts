import { type PostgresOptions, postgresStorage } from '@plant-store/adapters-postgres';
import type { PlantStore } from '@plant-store/domain';
import { freshDatabase, runSql } from '@plant-store/testing/postgres';
import { expect, onTestFinished } from 'vitest';

/** Opens a store on an empty database until the test ends. Its timeouts allow for a busy machine. */
export async function openStore(
  options: Partial<PostgresOptions> = {},
): Promise<{ readonly store: PlantStore; readonly url: string }> {
  const url = options.connectionString ?? (await migratedDatabase());
  const store = await postgresStorage({
    timeoutMs: 20_000,
    connectWithinMs: 10_000,
    maxWaitMs: 60_000,
    ...options,
    connectionString: url,
  }).open();
  onTestFinished(() => store.close());
  return { store, url };
}

/** Creates a migrated database without plants, and resolves with its URL. */
export async function migratedDatabase(serverUrl?: string): Promise<string> {
  if (serverUrl) return migrated(serverUrl);
  template ??= migrated();
  return freshDatabase(serverUrl, new URL(await template).pathname.slice(1));
}

/** On the shared server, because a copy takes a third of the CPU of a migration. */
let template: Promise<string> | undefined;

async function migrated(serverUrl?: string): Promise<string> {
  const connectionString = await freshDatabase(serverUrl);
  await postgresStorage({ connectionString }).migrate();
  return connectionString;
}

/** Creates a role with the given privileges on `plants`, and resolves with its URL. */
export async function withRole(url: string, privileges?: string): Promise<string> {
  const role = `restricted_${Math.random().toString(36).slice(2)}`;
  await runSql(url, `CREATE ROLE ${role} LOGIN PASSWORD '${role}'`);
  if (privileges !== undefined) await runSql(url, `GRANT ${privileges} ON plants TO ${role}`);
  return Object.assign(new URL(url), { username: role, password: role }).href;
}

/** Returns the DDL for a BEFORE INSERT trigger that runs a statement of PL/pgSQL. */
export function trigger(statement: string): string {
  return `CREATE FUNCTION act() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${statement}; RETURN NEW; END $$;
    CREATE TRIGGER act BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION act()`;
}

/** Makes commits wait for the named standby, which does not exist, or for none if the name is empty. */
export async function waitForStandby(url: string, name: string): Promise<void> {
  await runSql(url, `ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
  await runSql(url, 'SELECT pg_reload_conf()');
  const set = () => runSql(url, 'SHOW synchronous_standby_names');
  await expect.poll(set).toEqual([{ synchronous_standby_names: name }]);
  // Commits wait once the checkpointer has read the setting, which it does before its next checkpoint.
  await runSql(url, 'CHECKPOINT');
}
