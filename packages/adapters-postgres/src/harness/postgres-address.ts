import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';

/** Where a server listens, and its TLS settings. */
export interface PostgresAddress {
  /** A host, or the directory of a unix socket. */
  readonly host: string;
  readonly port: number;
  /** Undefined if the connection is not encrypted. */
  readonly tls: ConnectionOptions | undefined;
  /** Whether TLS begins at once, without an SSLRequest (`sslnegotiation=direct`). */
  readonly directTls: boolean;
}

/** The address in a connection string, read as pg reads it: with the environment variables of libpq. */
export function postgresAddress(connectionString: string): PostgresAddress {
  const client = new pg.Client(connectionString);
  const { host, port } = client;
  const ssl = client.ssl as boolean | ConnectionOptions;
  const { sslNegotiation } = client as pg.Client & { readonly sslNegotiation?: string };
  // In pg the key is not enumerable.
  const tls = typeof ssl === 'object' ? { ...ssl, ...(ssl.key && { key: ssl.key }) } : ssl ? {} : undefined;
  return { host, port, tls, directTls: sslNegotiation === 'direct' };
}

/** The same connection to another database of the server. */
export function inDatabase(connectionString: string, name: string): string {
  const url = complete(connectionString);
  url.pathname = name;
  return url.href;
}

/** The same connection with one schema of the database as its search path. */
export function inSchema(connectionString: string, name: string): string {
  const url = complete(connectionString);
  const options = url.searchParams.get('options') ?? process.env['PGOPTIONS'] ?? '';
  url.searchParams.set('options', `${options} -c search_path=${name}`.trimStart());
  return url.href;
}

/** The same connection through a proxy on this machine, which handles TLS itself and is the only way to the server. */
export function throughProxy(connectionString: string, port: number): string {
  const url = complete(connectionString);
  for (const name of [...url.searchParams.keys()])
    if (/^ssl|^uselibpqcompat$/.test(name)) url.searchParams.delete(name);
  url.searchParams.set('host', '127.0.0.1');
  url.searchParams.set('port', String(port));
  url.searchParams.set('sslmode', 'disable');
  return url.href;
}

/** A connection string may omit what the environment has; this one has everything. */
function complete(connectionString: string): URL {
  const { host, port, user, password, database } = new pg.Client(connectionString);
  const url = new URL('postgres://localhost');
  url.search = connectionString.split('?')[1] ?? '';
  url.username = encodeURIComponent(user ?? '');
  url.password = encodeURIComponent(password ?? '');
  url.pathname = encodeURI(database ?? '');
  url.searchParams.set('host', host);
  url.searchParams.set('port', String(port));
  return url;
}
