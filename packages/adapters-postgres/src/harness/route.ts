import type { PreparedStore } from '@plant-store/contracts-stores';
import { openProxy } from './freezing-proxy.ts';
import { postgresAddress, throughProxy } from './postgres-address.ts';

/** A route to a database, and what can fail on it or behind it. */
export interface Route extends Pick<PreparedStore, 'failCommits' | 'killServer'> {
  readonly connectionString: string;
  readonly startOutage: NonNullable<PreparedStore['startOutage']>;
}

/** One through a proxy that can freeze. */
export async function throughFreezingProxy(url: string, resources: AsyncDisposableStack): Promise<Route> {
  const proxy = await openProxy(postgresAddress(url));
  resources.defer(proxy.close);
  return {
    connectionString: throughProxy(url, proxy.port),
    async startOutage() {
      proxy.freeze();
      return async () => proxy.thaw();
    },
  };
}
