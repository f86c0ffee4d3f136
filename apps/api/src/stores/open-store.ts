import type { PlantStore } from '@plant-store/domain';
import type { StoreObserver } from '@plant-store/group-commit';
import type { Config } from '../config/config.ts';
import { type OnError, storeEngine } from './engines.ts';

/**
 * Opens the store that the configuration names, with its schema up to date.
 *
 * @throws {Error} when the schema is old and `MIGRATE` is off, or the store is out of reach.
 */
export async function openStore(
  { databaseUrl, databaseLimits, migrate }: Config,
  onError: OnError,
  observer?: StoreObserver,
): Promise<PlantStore> {
  const engine = storeEngine(databaseUrl, onError, { ...databaseLimits, ...(observer ? { observer } : {}) });
  const status = await (migrate === 'auto' ? engine.migrate() : engine.status());
  const missing = status.filter(({ applied }) => !applied).map(({ name }) => name);
  if (missing.length > 0) {
    throw new Error(
      `the store's schema is old, it lacks ${missing.join(', ')}: run "plant-store migrate up", or set MIGRATE=auto`,
    );
  }
  return engine.open();
}
