import { openMemory } from '@plant-store/adapters-memory';
import { migratePostgres, openPostgres, postgresMigrationStatus } from '@plant-store/adapters-postgres';
import { migrateSqlite, openSqlite, sqliteMigrationStatus } from '@plant-store/adapters-sqlite';
import type { PlantStore } from '@plant-store/domain';
import type { StoreUnderTest } from '@plant-store/domain/contract';
import { memoryUnderTest } from './under-test/memory-under-test.ts';
import { postgresUnderTest } from './under-test/postgres-under-test.ts';
import { sqliteUnderTest } from './under-test/sqlite-under-test.ts';

/** What the composition root needs to know of an engine. */
export interface StoreEngine {
  open(): Promise<PlantStore>;
  /** Brings the schema up to date and resolves with what stands then. */
  migrate(): Promise<MigrationStatus>;
  status(): Promise<MigrationStatus>;
  /**
   * What `plant-store verify-store` checks the contract against: its places are scratch places beside the store at the
   * URL, which is left as it is. A place that cannot be prepared leaves nothing behind, and its error says what is
   * needed.
   */
  underTest(): StoreUnderTest;
}

/** The migrations in their order, and whether each was applied. */
export type MigrationStatus = readonly { readonly name: string; readonly applied: boolean }[];

/** What a store reports while nobody waits for it, such as a lost idle connection. */
export type OnError = (error: Error) => void;

/** What an operator may set of a store; each engine takes what it knows. Times are in milliseconds. */
export interface StoreLimits {
  readonly poolSize?: number;
  readonly connectWithinMs?: number;
  readonly answerWithinMs?: number;
}

/** From URL scheme to engine. A new engine adds one row. */
const engines: Record<string, (url: string, onError: OnError, limits: StoreLimits) => StoreEngine> = {
  memory: () => ({
    open: async () => openMemory(),
    migrate: async () => [],
    status: async () => [],
    underTest: () => memoryUnderTest,
  }),
  sqlite: (url, _onError, { answerWithinMs }) => {
    const options = { path: url.slice('sqlite:'.length), ...(answerWithinMs ? { answerWithinMs } : {}) };
    return {
      open: () => openSqlite(options),
      migrate: () => migrateSqlite(options),
      status: () => sqliteMigrationStatus(options),
      underTest: () => sqliteUnderTest(options.path),
    };
  },
  postgres: (connectionString, onError, limits) => {
    const options = { connectionString, onError, ...limits };
    return {
      open: () => openPostgres(options),
      migrate: () => migratePostgres(options),
      status: () => postgresMigrationStatus(options),
      underTest: () => postgresUnderTest(connectionString),
    };
  },
};

/** The engine that a `DATABASE_URL` names. */
export function storeEngine(databaseUrl: string, onError: OnError, limits: StoreLimits = {}): StoreEngine {
  const scheme = databaseUrl.slice(0, databaseUrl.indexOf(':'));
  const engine = engines[scheme === 'postgresql' ? 'postgres' : scheme];
  if (!engine) throw new Error(`no store for ${scheme}:, expected one of ${Object.keys(engines).join(':, ')}:`);
  return engine(databaseUrl, onError, limits);
}
