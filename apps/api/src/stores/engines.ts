import { memoryCapabilities, openMemory } from '@plant-store/adapters-memory';
import {
  distributePostgres,
  migratePostgres,
  openPostgres,
  postgresCapabilities,
  postgresExport,
  postgresMigrationStatus,
} from '@plant-store/adapters-postgres';
import {
  migrateSqlite,
  openSqlite,
  sqliteCapabilities,
  sqliteExport,
  sqliteMigrationStatus,
} from '@plant-store/adapters-sqlite';
import type { StoreHarness } from '@plant-store/contracts-stores';
import type { PlantExport, PlantStore, StoreCapabilities } from '@plant-store/domain';
import type { StoreObserver } from '@plant-store/group-commit';

/** What the composition root needs to know of an engine. */
export interface StoreEngine {
  /** The adapter's manifest. */
  readonly capabilities: StoreCapabilities;
  open(): Promise<PlantStore>;
  /** Brings the schema up to date and resolves with what stands then. */
  migrate(): Promise<MigrationStatus>;
  /** Spreads a migrated store over the nodes of a Citus cluster; left out where the engine cannot. */
  distribute?(): Promise<void>;
  status(): Promise<MigrationStatus>;
  /** What `plant-store export` reads; left out where no other process can see what a store keeps. */
  export?(): PlantExport;
  /**
   * What `plant-store verify-store` checks the contract against: its places are scratch places beside the store at the
   * URL, which is left as it is. A place that cannot be prepared leaves nothing behind, and its error says what is
   * needed. It is loaded when it is asked for: a service has no use for it.
   */
  underTest(): Promise<StoreHarness>;
}

/** The migrations in their order, and whether each was applied. */
export type MigrationStatus = readonly { readonly name: string; readonly applied: boolean }[];

/** What a store reports while nobody waits for it, such as a lost idle connection. */
export type OnError = (error: Error) => void;

/** What an operator may set of a store; each engine takes what it knows. Times are in milliseconds. */
export interface StoreLimits {
  readonly poolSize?: number;
  readonly connectWithinMs?: number;
  readonly timeoutMs?: number;
  readonly maxWaitMs?: number;
  readonly maxWaiting?: number;
  readonly maxBatch?: number;
  readonly maxWrites?: number;
}

/** What an engine is opened with, apart from its URL. */
export interface StoreSurroundings extends StoreLimits {
  readonly observer?: StoreObserver;
}

/** An engine, and the URLs that lead to it. */
interface EngineRow {
  /** How an operator writes its URLs, for messages. */
  readonly form: string;
  /** What its URLs match. */
  readonly urls: RegExp;
  /** Where `plant-store verify-store` works, for the operator who lets it. */
  readonly scratchPlace: string;
  readonly engine: (url: string, onError: OnError, surroundings: StoreSurroundings) => StoreEngine;
}

/** Every engine there is. A new one adds one row. */
const engines: readonly EngineRow[] = [
  {
    form: 'postgres://…',
    urls: /^postgres(ql)?:\/\/./,
    scratchPlace: 'a scratch database, where the user may create one, else a scratch schema in the given database',
    engine(connectionString, onError, surroundings) {
      const options = { connectionString, onError, ...surroundings };
      return {
        capabilities: postgresCapabilities,
        open: () => openPostgres(options),
        migrate: () => migratePostgres(options),
        distribute: () => distributePostgres(options),
        status: () => postgresMigrationStatus(options),
        export: () => postgresExport(options),
        underTest: async () => {
          const { postgresHarness } = await import('@plant-store/adapters-postgres/harness');
          return postgresHarness(connectionString);
        },
      };
    },
  },
  {
    form: 'sqlite:<path>',
    // A memory that each connection has for itself, and a home directory that no shell has put in, are no paths.
    urls: /^sqlite:(?!:memory:|~)./s,
    scratchPlace: 'a scratch directory beside the given file',
    engine(url, _onError, { poolSize, connectWithinMs, maxWrites, ...limits }) {
      const options = { path: url.slice('sqlite:'.length), ...limits };
      return {
        capabilities: sqliteCapabilities,
        open: () => openSqlite(options),
        migrate: () => migrateSqlite(options),
        status: () => sqliteMigrationStatus(options),
        export: () => sqliteExport(options),
        underTest: async () => {
          const { sqliteHarness } = await import('@plant-store/adapters-sqlite/harness');
          return sqliteHarness(options.path);
        },
      };
    },
  },
  {
    form: 'memory:',
    urls: /^memory:$/,
    scratchPlace: 'the memory of the command itself',
    engine: () => ({
      capabilities: memoryCapabilities,
      open: async () => openMemory(),
      migrate: async () => [],
      status: async () => [],
      underTest: async () => (await import('@plant-store/adapters-memory/harness')).memoryHarness,
    }),
  },
];

/** What a `DATABASE_URL` looks like, for messages: the form of each engine, with commas and an «or» between them. */
export const databaseUrlForms: string = formsOf(engines);

/** The same, of the engines whose stores can be exported. */
export const exportUrlForms: string = formsOf(engines.filter(({ form, engine }) => engine(form, () => {}, {}).export));

function formsOf(rows: readonly EngineRow[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(rows.map(({ form }) => form));
}

/** Where `plant-store verify-store` works on each engine, one a line. */
export const scratchPlaces: string = engines
  .map(
    ({ form, scratchPlace }) => `  ${form.padEnd(Math.max(...engines.map((row) => row.form.length)))}  ${scratchPlace}`,
  )
  .join('\n');

/** Whether there is an engine for the URL. */
export function isDatabaseUrl(url: string): boolean {
  return engines.some(({ urls }) => urls.test(url));
}

/**
 * The engine that a `DATABASE_URL` names.
 * @throws {Error} when there is none for it ({@link isDatabaseUrl}).
 */
export function storeEngine(databaseUrl: string, onError: OnError, surroundings: StoreSurroundings = {}): StoreEngine {
  const row = engines.find(({ urls }) => urls.test(databaseUrl));
  // Without the URL: there may be a password in it.
  if (!row) throw new Error(`no store for this URL, expected ${databaseUrlForms}`);
  return row.engine(databaseUrl, onError, surroundings);
}
