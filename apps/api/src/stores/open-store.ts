import { type PlantStore, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import type { StorageAdapter, StoreAt, StoreOptions } from '@plant-store/store-kit';
import { retrying } from '../retrying.ts';

/** The part of the configuration that names a store. */
export interface StoreConfig {
  readonly DATABASE_URL: string;
  readonly storageAdapter: StorageAdapter | undefined;
  readonly storeLimits: Partial<StoreOptions>;
  /** `auto` migrates first; `off` requires a current schema. */
  readonly MIGRATE: 'auto' | 'off';
}

/** The callbacks of a store. */
type Callbacks = Pick<StoreOptions, 'onError' | 'onWarning' | 'observer'>;

/** The configured store, which is not yet open. */
export function storeAt(
  { DATABASE_URL, storageAdapter, storeLimits }: Omit<StoreConfig, 'MIGRATE'>,
  callbacks: Callbacks,
): StoreAt {
  if (!storageAdapter) throw new Error('the adapter of STORAGE_ADAPTER has not been loaded');
  return storageAdapter.at(DATABASE_URL, { ...storeLimits, ...callbacks });
}

/**
 * Opens the configured store with a current schema.
 *
 * @param onSchema called with the state of the schema once it is current, for the startup message.
 * @throws {Error} if the schema is out of date and `MIGRATE` is `off`, or the store is unreachable.
 */
export async function openStore(
  config: StoreConfig,
  callbacks: Callbacks,
  onSchema: (state: string) => void = () => {},
): Promise<PlantStore> {
  const store = storeAt(config, callbacks);
  const status = await (config.MIGRATE === 'auto' ? store.migrate() : store.status());
  const missing = status.filter(({ applied }) => !applied).map(({ name }) => name);
  if (missing.length > 0) {
    throw new Error(
      `the store's schema is out of date, missing ${missing.join(', ')}: run "plant-store migrate up" or set MIGRATE=auto`,
    );
  }
  onSchema(status.length === 0 ? 'without a schema' : `schema up to date (${status.at(-1)?.name})`);
  return store.open();
}

/** The pause between attempts to open the store, in milliseconds. */
const RETRY_MS = 1_000;

/**
 * Opens a store, and retries every second while it is unavailable.
 *
 * @param onUnavailable called with each new reason.
 * @throws the error of `open` if waiting does not help.
 */
export function openWhenReachable(
  open: () => Promise<PlantStore>,
  onUnavailable: (reason: string) => void,
): Promise<PlantStore> {
  return retrying({ everyMs: RETRY_MS, mayRecover, onRetry: onUnavailable })(open);
}

/**
 * Whether waiting may resolve this error. It does not if the server has rejected the password, the user or the database. An
 * unknown host name may belong to a container that has not started.
 */
export function mayRecover(error: unknown): boolean {
  return StoreUnavailable.is(error) && (!StoreMisconfigured.is(error) || isUnknownHost(error.cause));
}

function isUnknownHost(cause: unknown): boolean {
  if (cause instanceof AggregateError) return cause.errors.some(isUnknownHost);
  if (!(cause instanceof Error)) return false;
  return ('code' in cause && cause.code === 'ENOTFOUND') || isUnknownHost(cause.cause);
}
