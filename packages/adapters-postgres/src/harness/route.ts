import { postgresDistribution } from '../citus/distribute.ts';
import { urlOfNode } from '../citus/url-of-node.ts';
import { parseConnectionString } from '../driver/connection-string.ts';
import { type FreezingProxy, openProxy } from './freezing-proxy.ts';
import { postgresAddress, throughProxy } from './postgres-address.ts';

/** A route to a database, and what can fail on it or behind it. */
export interface Route {
  readonly connectionString: string;
  /** The way to the nodes of a Citus cluster, as of `openNodeDatabase`. */
  readonly urlOf?: typeof urlOfNode;
  readonly startOutage: () => Promise<() => Promise<void>>;
  readonly killServer?: () => Promise<() => Promise<void>>;
}

/** One to the server, and with `citus_route=nodes` one to each node: they freeze together. */
export async function throughFreezingProxies(url: string, resources: AsyncDisposableStack): Promise<Route> {
  const proxies: FreezingProxy[] = [];
  async function throughOne(direct: string): Promise<string> {
    const proxy = await openProxy(postgresAddress(direct));
    resources.defer(proxy.close);
    proxies.push(proxy);
    return throughProxy(direct, proxy.port);
  }

  const connectionString = await throughOne(url);
  const nodes = new Map<string, string>();
  if (parseConnectionString(url).toCitusNodes) {
    const distribution = await postgresDistribution({ connectionString: url });
    for (const node of distribution?.nodes ?? []) {
      const direct = urlOfNode(url, node);
      if (direct !== undefined) nodes.set(node, await throughOne(direct));
    }
  }
  return {
    connectionString,
    urlOf: (coordinator, node) => nodes.get(node) ?? urlOfNode(coordinator, node),
    async startOutage() {
      for (const { freeze } of proxies) freeze();
      return async () => {
        for (const { thaw } of proxies) thaw();
      };
    },
  };
}
