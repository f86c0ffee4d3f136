import { openMemory } from '@plant-store/adapters-memory';
import { migratePostgres, openPostgres, postgresMigrationStatus } from '@plant-store/adapters-postgres';
import { migrateSqlite, openSqlite, sqliteMigrationStatus } from '@plant-store/adapters-sqlite';
import type { PlantStore } from '@plant-store/domain';

/** What the composition root needs to know of an engine. */
export interface StoreEngine {
  open(): Promise<PlantStore>;
  /** Brings the schema up to date and resolves with what stands then. */
  migrate(): Promise<MigrationStatus>;
  status(): Promise<MigrationStatus>;
}

/** The migrations in their order, and whether each was applied. */
export type MigrationStatus = readonly { readonly name: string; readonly applied: boolean }[];

/** What a store reports while nobody waits for it, such as a lost idle connection. */
export type OnError = (error: Error) => void;

/** From URL scheme to engine. A new engine adds one row. */
const engines: Record<string, (url: string, onError: OnError) => StoreEngine> = {
  memory: () => ({
    open: async () => openMemory(),
    migrate: async () => [],
    status: async () => [],
  }),
  sqlite: (url) => {
    const options = { path: url.slice('sqlite:'.length) };
    return {
      open: () => openSqlite(options),
      migrate: () => migrateSqlite(options),
      status: () => sqliteMigrationStatus(options),
    };
  },
  postgres: (connectionString, onError) => {
    const options = { connectionString, onError };
    return {
      open: () => openPostgres(options),
      migrate: () => migratePostgres(options),
      status: () => postgresMigrationStatus(options),
    };
  },
};

/** The engine that a `DATABASE_URL` names. */
export function storeEngine(databaseUrl: string, onError: OnError): StoreEngine {
  const scheme = databaseUrl.slice(0, databaseUrl.indexOf(':'));
  const engine = engines[scheme === 'postgresql' ? 'postgres' : scheme];
  if (!engine) throw new Error(`no store for ${scheme}:, expected one of ${Object.keys(engines).join(':, ')}:`);
  return engine(databaseUrl, onError);
}
