import type { PlantExport, PlantStore } from '@plant-store/domain';
import type { Callbacks, ServerOptions, StoreLimit } from './options.ts';

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
  /**
   * The limits of the store. Those with a setting are passed to `at` as options. By default all of `serverLimits` are passed, and the
   * adapter ignores what it has no use for.
   *
   * The service has the settings of its own adapters only, with their defaults and ranges. It reads no setting that only an adapter
   * from outside declares, and passes undefined for it. A default that such an adapter gives a shared setting has no effect.
   */
  readonly limits?: Readonly<Record<string, StoreLimit>>;
  /** The commands of `plant-store migrate` that only this engine has. */
  readonly commands?: readonly MigrateCommand[];
  /** Neither connects nor loads the driver: see {@link lazyStorage}. */
  readonly at: (url: string, options: StoreOptions) => Storage;
}

/** The store at one URL, and what only some adapters have. */
export interface Storage {
  /** Opens a store. @throws {StoreMisconfigured} if waiting does not help; {@link RangeError} if an option is out of its range. */
  open(): Promise<PlantStore>;
  /** Applies the missing migrations, and resolves with all, in order. @throws {StoreUnavailable} if the store cannot be reached. */
  migrate(): Promise<MigrationStatus>;
  /** Only reads. @throws {StoreUnavailable} if the store cannot be reached. */
  status(): Promise<MigrationStatus>;
  /** Reads all plants, page by page. A store that no other process can read has no export. */
  export?(): PlantExport;
  /** Runs the adapter's commands, by their names, on a migrated store. Each gets the value of its option. */
  readonly commands?: Readonly<Record<string, (value?: number) => Promise<unknown>>>;
  /** Resolves with lines about the store, which `plant-store migrate` prints after the migrations. */
  details?(): Promise<readonly string[]>;
}

/** A storage that other processes can read. */
export interface SharedStorage extends Storage {
  export(): PlantExport;
}

/** The migrations in order, and whether each one was applied. */
export type MigrationStatus = readonly { readonly name: string; readonly applied: boolean }[];

/** A command of `plant-store migrate`, which migrates before it runs. */
export interface MigrateCommand {
  readonly name: string;
  readonly description: string;
  /** Its option, which takes a whole number from 1 to `max`. */
  readonly option: { readonly flags: string; readonly description: string; readonly max: number };
}

/** The options that the service passes to an adapter: its limits with a setting, and callbacks. */
export interface StoreOptions extends Omit<ServerOptions, 'connectionString'> {
  readonly onError: NonNullable<Callbacks['onError']>;
}

/** Makes a storage whose module, and so its driver, is loaded when a method is called. */
export function lazyStorage(load: () => Promise<SharedStorage>): SharedStorage {
  return {
    open: async () => (await load()).open(),
    migrate: async () => (await load()).migrate(),
    status: async () => (await load()).status(),
    export: () => ({
      async *readAll() {
        yield* (await load()).export().readAll();
      },
    }),
  };
}
