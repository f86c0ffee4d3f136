import { UsageError } from '@plant-store/command-line';
import type { StoreHarness } from '@plant-store/contracts-stores';
import { outsideAdapter } from './outside-adapter.ts';
import { formOf } from './store-at.ts';

/**
 * What `plant-store verify-store` checks the contract against: scratch places beside the store at a URL, which stays
 * untouched. If a place cannot be prepared, nothing is left behind and the error says what is needed.
 *
 * @throws {UsageError} if the adapter from outside has no harness.
 */
export async function harnessAt(url: string): Promise<StoreHarness> {
  const form = formOf(url);
  const own = harnesses[form];
  if (own) return own(url);
  const { module, harness } = outsideAdapter();
  if (harness) return harness(url);
  throw new UsageError(`${module} exports no storeHarness, so there is nothing to check ${form} with`);
}

/** By the form of their URLs. */
const harnesses: Readonly<Record<string, (url: string) => Promise<StoreHarness>>> = {
  'postgres://…': async (url) => (await import('@plant-store/adapters-postgres/harness')).postgresHarness(url),
  'citus://…': async (url) => (await import('@plant-store/adapters-citus/harness')).citusHarness(url),
  'mysql://…': async (url) => (await import('@plant-store/adapters-mysql/harness')).mysqlHarness(url),
  'sqlite:<path>': async (url) =>
    (await import('@plant-store/adapters-sqlite/harness')).sqliteHarness(url.slice('sqlite:'.length)),
  'memory:': async () => (await import('@plant-store/adapters-memory/harness')).memoryHarness,
};
