import type pg from 'pg';
import { atHost, parseConnectionString } from '../driver/connection-string.ts';
import { openHosts } from '../driver/hosts.ts';
import { storeUnavailable } from '../errors.ts';
import { completeOptions } from '../options.ts';

/**
 * The connection string for pg alone, which knows one host: of several, for the one that is the primary now.
 *
 * @throws {Error} when the connection string cannot be used, or no host is a primary that can be reached.
 */
export async function primaryUrl(given: string): Promise<string> {
  const { urls, queryTimeoutMs } = parseConnectionString(given);
  const [first = given] = urls;
  const url = queryTimeoutMs === undefined ? first : `${first}&query_timeout=${queryTimeoutMs}`;
  if (urls.length === 1) return url;
  const hosts = openHosts(completeOptions({ connectionString: given }), () => 0);
  try {
    const client = await hosts.connect();
    client.release();
    const { host, port } = client as pg.PoolClient & pg.Client;
    return atHost(url, host, String(port));
  } catch (error) {
    throw storeUnavailable(error);
  } finally {
    await hosts.end();
  }
}
