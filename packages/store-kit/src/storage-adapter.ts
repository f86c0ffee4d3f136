import type { PlantExport, PlantStore } from '@plant-store/domain';
import type { Callbacks, ServerOptions } from './options.ts';
import type { StoreObserver } from './store-observer.ts';

/**
 * A storage adapter as the service uses it. Each package exports its own as `storageAdapter`: those of this repository from
 * `/storage-adapter`, another one from the module that the service's setting `STORAGE_ADAPTER` names.
 */
export interface StorageAdapter {
  /**
   * How its URLs are written, for messages: `my-engine:<path>`, or `my-engine://…` for what is behind a server. A URL
   * without `//` is shown in full, so it must have no secret.
   */
  readonly form: string;
  /** Matches its URLs, and none of another adapter. */
  readonly urls: RegExp;
  /**
   * Checks a URL without connecting; engines without a network need not.
   *
   * @returns the parameters to add to it, such as `sslmode=verify-full`, if the password and the plants would cross a network in
   *   plaintext although nobody wrote so.
   * @throws {Error} if the URL cannot be used, with what to write instead.
   */
  readonly tlsAdvice?: (url: string) => string | undefined;
  /** Connects to nothing and loads nothing: the adapter is imported by the first method that is called. */
  readonly at: (url: string, options: StoreOptions) => StoreAt;
}

/** The store at one URL. */
export interface StoreAt {
  open(): Promise<PlantStore>;
  /** Brings the schema up to date and resolves with the result. */
  migrate(): Promise<MigrationStatus>;
  status(): Promise<MigrationStatus>;
  /** Distributes a migrated store over the nodes of a cluster, in so many shards if that is given; only if the engine can. */
  distribute?(shards?: number): Promise<Distribution>;
  /** How it is distributed; undefined if it is not. */
  distribution?(): Promise<Distribution | undefined>;
  /** What `plant-store export` reads; only if another process can see the plants. */
  export?(): Promise<PlantExport>;
  /** Paths of the files that it consists of, which nothing else may write to; only if it is made of files. */
  files?(): Promise<readonly string[]>;
}

/** The migrations in order, and whether each one was applied. */
export type MigrationStatus = readonly { readonly name: string; readonly applied: boolean }[];

/** Whether the store has every one. */
export function isMigrated(migrations: MigrationStatus): boolean {
  return migrations.every(({ applied }) => applied);
}

/**
 * The table of what has been applied, by `name`. Not Kysely's default name, which another application in the same
 * database may use.
 */
export const MIGRATION_TABLE = 'plant_store_migration';

/** Over how many shards, and on which nodes. */
export interface Distribution {
  readonly shards: number;
  readonly nodes: readonly string[];
}

/** Limits that an operator can set; each engine uses the ones that it has. Times are in milliseconds. */
export type StoreLimits = Omit<ServerOptions, 'connectionString' | 'dropAfterMs' | 'maxBatchSize' | keyof Callbacks>;

export interface StoreOptions extends StoreLimits {
  /** Called with errors that no request is waiting for, such as a lost idle connection. */
  readonly onError: (error: Error) => void;
  /** Called with what an operator should know although nothing has failed, such as whom a migration waits for. */
  readonly onWarning?: (message: string) => void;
  readonly observer?: StoreObserver;
}
