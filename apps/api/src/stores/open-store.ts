import type { PlantStore } from '@plant-store/domain';
import type { StoreLimits, StoreOptions } from '@plant-store/store-kit';
import { storeAt } from './store-at.ts';

/** The part of the configuration that names a store. */
export interface StoreConfig {
  readonly databaseUrl: string;
  readonly databaseLimits: StoreLimits;
  /** `auto` migrates first; `off` requires an up-to-date schema. */
  readonly migrate: 'auto' | 'off';
}

interface OpenOptions extends Pick<StoreOptions, 'onError' | 'onWarning' | 'observer'> {
  /** Called with the state of the schema, for the operator, once it is known to be up to date. */
  readonly onSchema?: (state: string) => void;
}

/**
 * Opens the store that the configuration names, with its schema up to date.
 * @throws {Error} if the schema is out of date and `migrate` is `off`, or the store is unreachable.
 */
export async function openStore(
  { databaseUrl, databaseLimits, migrate }: StoreConfig,
  { onSchema = () => {}, ...options }: OpenOptions,
): Promise<PlantStore> {
  const store = storeAt(databaseUrl, { ...databaseLimits, ...options });
  const status = await (migrate === 'auto' ? store.migrate() : store.status());
  const missing = status.filter(({ applied }) => !applied).map(({ name }) => name);
  if (missing.length > 0) {
    throw new Error(
      `the store's schema is out of date, missing ${missing.join(', ')}: run "plant-store migrate up" or set MIGRATE=auto`,
    );
  }
  onSchema(status.length === 0 ? 'without a schema' : `schema up to date (${status.at(-1)?.name})`);
  return store.open();
}
