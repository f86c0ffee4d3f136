import { openProxy } from './freezing-proxy.ts';
import { postgresAddress, throughProxy } from './postgres-address.ts';

/** A route to a database, and what can fail on it or behind it. */
export interface Route {
  readonly connectionString: string;
  readonly startOutage: () => Promise<() => Promise<void>>;
  readonly killServer?: () => Promise<() => Promise<void>>;
  readonly failCommits?: () => Promise<() => Promise<void>>;
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
