import { realpath } from 'node:fs/promises';
import { parseCitusUrl } from '@plant-store/adapters-citus/connection-string';
import { parseConnectionString as parseMysql } from '@plant-store/adapters-mysql/connection-string';
import { parseConnectionString } from '@plant-store/adapters-postgres/connection-string';
import type { StoreHarness } from '@plant-store/contracts-stores';
import type { StorageAdapter } from '@plant-store/store-kit';

/** A storage engine of this repository. */
export interface Engine extends StorageAdapter {
  /** What `plant-store verify-store` checks the contract with: scratch places beside the store at the URL. */
  harness(url: string): Promise<StoreHarness>;
}

/**
 * The storage engines of this repository. A new one is one more row; its adapter is imported only if a URL names it, but
 * for what reads a URL and needs no driver.
 */
export const engines: readonly Engine[] = [
  {
    form: 'postgres://…',
    urls: /^postgres(ql)?:\/\/./,
    isPlaintext: (url) => parseConnectionString(url).plaintext,
    tls: { verified: 'sslmode=verify-full', disabled: 'sslmode=disable' },
    scratchPlace: 'a scratch schema in the given database, otherwise a scratch database with its encoding',
    harness: async (url) => (await import('@plant-store/adapters-postgres/harness')).postgresHarness(url),
    at(connectionString, options) {
      const postgres = () => import('@plant-store/adapters-postgres');
      const given = { connectionString, ...options };
      return {
        open: async () => (await postgres()).openPostgres(given),
        migrate: async () => (await postgres()).migratePostgres(given),
        status: async () => (await postgres()).postgresMigrationStatus(given),
        export: async () => (await postgres()).postgresExport(given),
      };
    },
  },
  {
    form: 'citus://…',
    urls: /^citus:\/\/./,
    isPlaintext: (url) => parseCitusUrl(url).plaintext,
    tls: { verified: 'sslmode=verify-full', disabled: 'sslmode=disable' },
    scratchPlace: 'a scratch schema in the given database, distributed as well',
    harness: async (url) => (await import('@plant-store/adapters-citus/harness')).citusHarness(url),
    at(connectionString, options) {
      const citus = () => import('@plant-store/adapters-citus');
      const given = { connectionString, ...options };
      return {
        open: async () => (await citus()).openCitus(given),
        migrate: async () => (await citus()).migrateCitus(given),
        status: async () => (await citus()).citusMigrationStatus(given),
        distribute: async (shards) => (await citus()).distributeCitus(given, shards),
        distribution: async () => (await citus()).citusDistribution(given),
        export: async () => (await citus()).citusExport(given),
      };
    },
  },
  {
    form: 'mysql://…',
    urls: /^(mysql|mariadb):\/\/./,
    isPlaintext: (url) => parseMysql(url).plaintext,
    tls: { verified: 'ssl-mode=VERIFY_IDENTITY', disabled: 'ssl-mode=DISABLED' },
    scratchPlace: 'a scratch database, which the user has to be allowed to create',
    harness: async (url) => (await import('@plant-store/adapters-mysql/harness')).mysqlHarness(url),
    at(connectionString, options) {
      const mysql = () => import('@plant-store/adapters-mysql');
      const given = { connectionString, ...options };
      return {
        open: async () => (await mysql()).openMysql(given),
        migrate: async () => (await mysql()).migrateMysql(given),
        status: async () => (await mysql()).mysqlMigrationStatus(given),
        export: async () => (await mysql()).mysqlExport(given),
      };
    },
  },
  {
    form: 'sqlite:<path>',
    // Not :memory:, which every connection would have for itself, and not ~, which only a shell expands.
    urls: /^sqlite:(?!:memory:|~)./s,
    scratchPlace: 'a scratch directory beside the given file',
    harness: async (url) => (await import('@plant-store/adapters-sqlite/harness')).sqliteHarness(pathIn(url)),
    at(url, { poolSize, connectWithinMs, maxWrites, migrationLockTimeoutMs, ...options }) {
      const sqlite = () => import('@plant-store/adapters-sqlite');
      const given = { path: pathIn(url), ...options };
      return {
        open: async () => (await sqlite()).openSqlite(given),
        migrate: async () => (await sqlite()).migrateSqlite(given),
        status: async () => (await sqlite()).sqliteMigrationStatus(given),
        export: async () => (await sqlite()).sqliteExport(given),
        // SQLite puts the others beside the file itself, not beside a link to it.
        async files() {
          const path = await realpath(given.path).catch(() => given.path);
          return ['', '-wal', '-shm', '-journal'].map((end) => `${path}${end}`);
        },
      };
    },
  },
  {
    form: 'memory:',
    urls: /^memory:$/,
    scratchPlace: 'the memory of the command itself',
    harness: async () => (await import('@plant-store/adapters-memory/harness')).memoryHarness,
    at: () => ({
      open: async () => (await import('@plant-store/adapters-memory')).openMemory(),
      migrate: async () => [],
      status: async () => [],
    }),
  },
];

/** The path in a URL of SQLite. */
function pathIn(url: string): string {
  return url.slice('sqlite:'.length);
}

/** A URL of each engine of the table, in the form that messages name. */
export const sampleUrls: readonly string[] = engines.map(sampleUrl);

/** A URL of the form that messages name. */
export function sampleUrl({ form }: Pick<StorageAdapter, 'form'>): string {
  return form.replace('<path>', 'plants.db').replace('…', 'host/plants');
}
