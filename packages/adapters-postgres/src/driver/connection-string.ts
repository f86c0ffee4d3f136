import { anyOf, isThisMachine, urlGrammar } from '@plant-store/sql-store/connection-url';

/** What a connection string means to pg, as far as it can be said without connecting. */
export interface ConnectionString {
  /**
   * A connection string for each host; several hosts are separated by commas, as libpq has them. Without `query_timeout`, for
   * which pg has a timer for each statement, and with `verify-full` for the modes that mean the same to pg 8, which warns
   * that they will be weaker in pg 9.
   */
  readonly urls: readonly string[];
  /** Whether a password or a plant would leave this machine without TLS although nobody wrote `sslmode=disable`. */
  readonly plaintext: boolean;
  /** How long a statement may run, in milliseconds; undefined if the string does not say (`query_timeout`). */
  readonly queryTimeoutMs: number | undefined;
}

/**
 * Reads a connection string as pg does, with libpq's environment variables, and refuses what pg would pass over in
 * silence: a parameter that it does not know, one without a value, one that is given twice, and values that it does not
 * expect. Otherwise a misspelt `sslmode` would send the password in plaintext. Needs no other module, so that a
 * configuration can be checked without loading pg.
 *
 * @throws {Error} that says what was expected. It repeats nothing of the connection string, all of which may be part of
 * a password with unescaped characters.
 */
export function parseConnectionString(
  text: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ConnectionString {
  const urls = urlOfEachHost(text);
  const hosts = urls.map(parseUrl);
  if (text.includes('#')) throw unusable('it has a #; write %23');
  const mode = environment['PGSSLMODE'];
  if (mode && !sslModes.includes(mode)) throw unusable(`PGSSLMODE: expected ${anyOf(sslModes)}`);

  // Every host has the same parameters.
  const [{ searchParams }] = hosts as [ReturnType<typeof parseUrl>];
  const parameters = readParameters(searchParams);
  if (parameters.has('ssl') && parameters.has('sslmode')) throw unusable('ssl and sslmode: keep only sslmode');
  const elsewhere = hosts.some(
    ({ host }) => !isThisMachine(parameters.get('host') || host || environment['PGHOST'] || 'localhost'),
  );
  const plaintext = elsewhere && !choosesTls(parameters, mode);
  const timeout = parameters.get('query_timeout');
  if (timeout && !/^\d{1,9}$/.test(timeout)) throw unusable('query_timeout: expected milliseconds');
  const isAlias = aliases.includes(parameters.get('sslmode') ?? '') && parameters.get('uselibpqcompat') !== 'true';
  const left = ['query_timeout', ...(isAlias ? ['sslmode'] : [])];
  const rewritten = (query: string) => `${without(left, query)}${isAlias ? '&sslmode=verify-full' : ''}`;
  return {
    urls: urls.map((url) => url.replace(/(?<=\?).*/s, rewritten)),
    plaintext,
    queryTimeoutMs: timeout === undefined ? undefined : Number(timeout),
  };
}

/**
 * The same connection string, which has to be usable, for another database. The rest of it stays as it is written: pg
 * decodes a whole URL in one of two ways, by the characters that are in it.
 */
export function inDatabase(text: string, name: string): string {
  const [, before = '', hosts = '', , query] = parts.exec(text) ?? [];
  return `${before}${hosts}/${name}${query === undefined ? '' : `?${query}`}`;
}

/** The same connection string with one schema of the database as its search path. */
export function inSchema(text: string, name: string): string {
  const [, before = '', hosts = '', path = '', query = ''] = parts.exec(text) ?? [];
  const options = new URLSearchParams(query).get('options') ?? process.env['PGOPTIONS'] ?? '';
  // An equals sign stays: in one of its two ways pg would not decode it.
  const added = encodeURIComponent(`${options} -c search_path=${name}`.trimStart()).replaceAll('%3D', '=');
  return `${before}${hosts}${path || '/'}?${without(['options'], query)}&options=${added}`;
}

/** A query without some of its parameters. The rest of it stays as it is written. */
function without(names: readonly string[], query: string): string {
  const isNamed = (pair: string) => names.includes([...new URLSearchParams(pair).keys()][0] ?? '');
  return query
    .split('&')
    .map((pair) => (isNamed(pair) ? '' : pair))
    .join('&');
}

/** What comes before the hosts, the hosts, the path, and the query. */
const parts = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^@/?#]*)([^?]*)(?:\?(.*))?/s;

function urlOfEachHost(text: string): readonly string[] {
  const [, before = '', hosts] = parts.exec(text) ?? [];
  if (hosts === undefined) return [text];
  const after = text.slice(before.length + hosts.length);
  return hosts.split(',').map((host) => `${before}${host}${after}`);
}

/** The host is empty if the URL has none. */
function parseUrl(text: string): { readonly host: string; readonly searchParams: URLSearchParams } {
  const url = URL.parse(text);
  // A user without a host: no URL to WHATWG, but one to pg and to libpq.
  const searchParams = (url ?? URL.parse(text.replace('@/', '@host/')))?.searchParams;
  if (!searchParams) throw unusable('Invalid URL');
  try {
    return { host: decodeURIComponent(url?.hostname ?? ''), searchParams };
  } catch {
    throw unusable('Invalid URL');
  }
}

type Parameters = ReadonlyMap<string, string>;

/** The modes that pg 8 takes for `verify-full`, unless it is to be as libpq (`uselibpqcompat`). */
const aliases = ['prefer', 'require', 'verify-ca'];

const sslModes = ['disable', ...aliases, 'verify-full', 'no-verify'];

export { unusable };

/** What pg 8.23 reads of a URL's query, and the values that it knows. */
const { unusable, readParameters } = urlGrammar('postgres', {
  application_name: undefined,
  client_encoding: undefined,
  fallback_application_name: undefined,
  host: undefined,
  idle_in_transaction_session_timeout: undefined,
  lock_timeout: undefined,
  options: undefined,
  password: undefined,
  port: undefined,
  query_timeout: undefined,
  ssl: ['true', '1', '0', 'no-verify'],
  sslcert: undefined,
  sslkey: undefined,
  sslmode: sslModes,
  sslnegotiation: ['postgres', 'direct'],
  sslrootcert: undefined,
  statement_timeout: undefined,
  uselibpqcompat: ['true', 'false'],
  user: undefined,
});

/** Whether pg uses TLS, or somebody wrote that it is disabled. */
function choosesTls(parameters: Parameters, environmentMode: string | undefined): boolean {
  if (['sslmode', 'sslcert', 'sslkey', 'sslrootcert'].some((name) => parameters.has(name))) return true;
  const ssl = parameters.get('ssl');
  if (ssl) return ssl !== '0';
  return parameters.get('sslnegotiation') === 'direct' || Boolean(environmentMode);
}
