import { migratePostgres, openPostgres, type PostgresOptions } from '@plant-store/adapters-postgres';
import type { PlantStore } from '@plant-store/domain';
import { freshDatabase, runSql } from '@plant-store/testing/postgres';
import { expect, onTestFinished } from 'vitest';

/** A store on a database without plants, until the test is over. Slow is no overload here: the machine may be busy. */
export async function openStore(
  options: Partial<PostgresOptions> = {},
): Promise<{ readonly store: PlantStore; readonly url: string }> {
  const url = options.connectionString ?? (await migratedDatabase());
  const store = await openPostgres({ maxWaitMs: 60_000, ...options, connectionString: url });
  onTestFinished(() => store.close());
  return { store, url };
}

/** The URL of a database that is migrated and has no plants. */
export async function migratedDatabase(serverUrl?: string): Promise<string> {
  const connectionString = await freshDatabase(serverUrl);
  await migratePostgres({ connectionString });
  return connectionString;
}

/** The URL for a new role, with these privileges on the plants. */
export async function withRole(url: string, privileges?: string): Promise<string> {
  const role = `restricted_${Math.random().toString(36).slice(2)}`;
  await runSql(url, `CREATE ROLE ${role} LOGIN PASSWORD '${role}'`);
  if (privileges !== undefined) await runSql(url, `GRANT ${privileges} ON plants TO ${role}`);
  return Object.assign(new URL(url), { username: role, password: role }).href;
}

/** What makes a trigger that runs a statement of PL/pgSQL before each plant is inserted. */
export function trigger(statement: string): string {
  return `CREATE FUNCTION act() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${statement}; RETURN NEW; END $$;
    CREATE TRIGGER act BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION act()`;
}

/** From now on a commit waits for a standby: for one that does not exist, or with an empty name for none. */
export async function waitForStandby(url: string, name: string): Promise<void> {
  await runSql(url, `ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
  await runSql(url, 'SELECT pg_reload_conf()');
  const set = () => runSql(url, 'SHOW synchronous_standby_names');
  await expect.poll(set).toEqual([{ synchronous_standby_names: name }]);
}

/** What gives each new session this search path, as those of a pooler may have that of another client. */
export function onLogin(path: string): string {
  return `CREATE FUNCTION lead() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
      PERFORM set_config('search_path', '${path}', false); END $$;
    CREATE EVENT TRIGGER lead ON login EXECUTE FUNCTION lead()`;
}
