import type { PlantExport, PlantStore } from '@plant-store/domain';
import type { MigrationStatus } from './migrations.ts';
import type { Callbacks, ServerOptions } from './options.ts';

/**
 * A storage adapter as the service uses it. Packages of this repository export it as `storageAdapter` from `/storage-adapter`.
 * Any other adapter is exported by the module that the setting `STORAGE_ADAPTER` names.
 */
export interface StorageAdapter {
  /**
   * The form of its URLs in messages: `my-engine:<path>`, or `my-engine://…` for a server. A URL without `//` is logged in full,
   * so it must hold no secret.
   */
  readonly form: string;
  /** Matches the URLs of this adapter alone. */
  readonly urls: RegExp;
  /**
   * Checks a URL without connecting. Engines without a network leave it out.
   *
   * @returns the parameters to add, such as `sslmode=verify-full`, if the URL would send the password and the plants over a
   *   network in plaintext without saying so.
   * @throws {Error} if the URL cannot be used, with what to write instead.
   */
  readonly tlsAdvice?: (url: string) => string | undefined;
  /** Neither connects nor loads the driver. The first method that is called imports it. */
  readonly at: (url: string, options: StoreOptions) => StoreAt;
}

/** The store at one URL. */
export interface StoreAt {
  open(): Promise<PlantStore>;
  /** Applies the missing migrations and resolves with the status after that. */
  migrate(): Promise<MigrationStatus>;
  status(): Promise<MigrationStatus>;
  /** Distributes a migrated table over the nodes of a cluster, in `shards` shards if given. Only clusters have it. */
  distribute?(shards?: number): Promise<Distribution>;
  /** Resolves with the distribution of the table; undefined if it is not distributed. */
  distribution?(): Promise<Distribution | undefined>;
  /** Opens the source of `plant-store export`. A store that no other process can read leaves it out. */
  export?(): Promise<PlantExport>;
  /** Resolves with the paths of the store's files, which no other program may write. Only stores in files have it. */
  files?(): Promise<readonly string[]>;
}

/** The number of shards of a distributed table, and the `host:port` of each node that has some. */
export interface Distribution {
  readonly shards: number;
  readonly nodes: readonly string[];
}

/** The limits that an operator can set. An engine ignores those that it does not have. Times are in milliseconds. */
export type StoreLimits = Omit<
  ServerOptions,
  'connectionString' | 'dropAfterMs' | 'maxBatchSize' | 'maxWaitMs' | keyof Callbacks
>;

/** The options that the service passes to an adapter. */
export interface StoreOptions extends StoreLimits, Callbacks {
  readonly onError: NonNullable<Callbacks['onError']>;
}
