import type { PlantExport, PlantStore } from '@plant-store/domain';
import type { GivenLimits } from '@plant-store/group-commit';
import type { MigrationStatus } from './migrations.ts';
import type { Callbacks, StoreLimit, serverLimits } from './options.ts';

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
  /** Neither connects nor loads the driver. The first method that is called imports it. */
  readonly at: (url: string, options: StoreOptions) => StoreAt;
}

/** The store at one URL. */
export interface StoreAt {
  open(): Promise<PlantStore>;
  /** Applies the missing migrations and resolves with the status after that. */
  migrate(): Promise<MigrationStatus>;
  status(): Promise<MigrationStatus>;
  /** Runs the adapter's commands, by their names, on a migrated store. Each gets the value of its option. */
  readonly commands?: Readonly<Record<string, (value?: number) => Promise<unknown>>>;
  /** Resolves with lines about the store, which `plant-store migrate` prints after the migrations. */
  details?(): Promise<readonly string[]>;
  /** Opens the source of `plant-store export`. A store that no other process can read leaves it out. */
  export?(): Promise<PlantExport>;
  /** Resolves with the paths of the store's files, which no other program may write. Only stores in files have it. */
  files?(): Promise<readonly string[]>;
}

/** A command of `plant-store migrate`, which migrates before it runs. */
export interface MigrateCommand {
  readonly name: string;
  readonly description: string;
  /** Its option, which takes a whole number from 1 to `max`. */
  readonly option: { readonly flags: string; readonly description: string; readonly max: number };
}

/** The options that the service passes to an adapter: its limits, of which these are common, and callbacks. */
export interface StoreOptions extends GivenLimits<typeof serverLimits>, Callbacks {
  readonly onError: NonNullable<Callbacks['onError']>;
}
