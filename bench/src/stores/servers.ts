import { randomBytes } from 'node:crypto';
import { migrateMysql } from '@plant-store/adapters-mysql';
import { migratePostgres } from '@plant-store/adapters-postgres';
import * as mysql from '@plant-store/testing-mysql';
import * as postgres from '@plant-store/testing-postgres';
import type { Store } from './store.ts';

/** How a server is used, whether it is given or started. */
interface ServerEngine extends Pick<typeof postgres, 'runSql'> {
  /** The environment variable that names a given server. */
  readonly variable: string;
  start(): Promise<{ readonly url: string; stop(): Promise<void> }>;
  migrate(options: { readonly connectionString: string }): Promise<unknown>;
  /** What the durability of commits depends on, as rows of `name`, `setting` and `is_off`; and the version. */
  readonly settings: string;
  readonly version: string;
  readonly create: string;
  readonly drop: string;
  /** Flushes pending writes. */
  readonly settle: readonly string[];
}

export const engines = {
  postgres: {
    ...postgres,
    variable: 'BENCH_DATABASE_URL',
    start: () => postgres.startDedicatedServer(),
    migrate: migratePostgres,
    // `remote_write` and `remote_apply` also sync on this server, and wait for a standby; `local` only syncs.
    settings: `SELECT name, setting, (setting = 'off')::int AS is_off FROM pg_settings
                 WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes')`,
    version: `SELECT 'PostgreSQL ' || current_setting('server_version') AS version`,
    create: `CREATE DATABASE $ TEMPLATE template0 ENCODING 'UTF8'`,
    drop: 'DROP DATABASE $ WITH (FORCE)',
    settle: ['VACUUM ANALYZE plants', 'CHECKPOINT'],
  },
  mysql: {
    ...mysql,
    variable: 'BENCH_MYSQL_URL',
    start: () => mysql.startDedicatedServer(),
    migrate: migrateMysql,
    settings: `select 'innodb_flush_log_at_trx_commit' as name, @@innodb_flush_log_at_trx_commit as setting,
                 @@innodb_flush_log_at_trx_commit <> 1 as is_off`,
    version: 'select version() as version',
    create: 'create database $',
    drop: 'drop database $',
    settle: ['analyze table plants'],
  },
} as const satisfies Record<string, ServerEngine>;

/** Why there is no MariaDB for a run; undefined if there is one. */
export function missingMysql(environment: NodeJS.ProcessEnv): string | undefined {
  if (environment[engines.mysql.variable] || mysql.isInstalled()) return undefined;
  return 'there is no mariadbd: install mariadb-server, or set BENCH_MYSQL_URL';
}

/**
 * The server that the environment names, otherwise one that is started for the run.
 *
 * @throws {Error} if commits are not synced to disk: its figures would not be comparable.
 */
export async function useServer(engine: ServerEngine, environment: NodeJS.ProcessEnv): Promise<Store> {
  const { variable, runSql } = engine;
  const given = environment[variable];
  const { url, stop } = given ? { url: given, stop: async () => {} } : await engine.start();
  try {
    const settings = await runSql(url, engine.settings);
    const listed = (rows: typeof settings) => rows.map((row) => `${row['name']}=${row['setting']}`).join(', ');
    const off = settings.filter((row) => Number(row['is_off']) === 1);
    if (off.length > 0)
      throw new Error(`this server does not sync its commits (${listed(off)}): change that, or unset ${variable}`);
    const [row] = await runSql(url, engine.version);
    return {
      description: `${row?.['version']} (${given ? `given by ${variable}` : 'started for this run'}), ${listed(settings)}`,
      isOurs: !given,
      newTable: () => newTable(engine, url),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function newTable({ runSql, migrate, create, drop, settle }: ServerEngine, server: string) {
  const name = `plant_store_bench_${randomBytes(6).toString('hex')}`;
  await runSql(server, create.replace('$', name));
  const url = Object.assign(new URL(server), { pathname: name }).href;
  await migrate({ connectionString: url });
  return {
    url,
    count: async () => Number((await runSql(url, 'select count(*) as count from plants'))[0]?.['count']),
    async settle() {
      for (const statement of settle) await runSql(url, statement);
    },
    [Symbol.asyncDispose]: async () => void (await runSql(server, drop.replace('$', name))),
  };
}
