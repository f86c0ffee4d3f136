import { isThisMachine, readUrl, unusable as unusableUrl } from '@plant-store/store-kit/connection-url';

/** What a connection string means to pg, as far as it can be said without connecting. */
export interface ConnectionString {
  /** For pg: with `verify-full` for the modes that mean the same to pg 8, which warns that they will be weaker in pg 9. */
  readonly url: string;
  /** Whether a password or a plant would leave this machine without TLS although nobody wrote `sslmode=disable`. */
  readonly plaintext: boolean;
  /** Whether statements may be prepared. */
  readonly prepare: boolean;
}

/**
 * Reads a connection string as pg does, with libpq's environment variables, and refuses what pg would pass over in silence: a
 * misspelt `sslmode` would send the password in plaintext. Needs no driver, so that a configuration can be checked without
 * loading one.
 *
 * @throws {Error} that says what was expected, and repeats nothing of the connection string, all of which may be part of a
 *   password with unescaped characters.
 */
export function parseConnectionString(text: string): ConnectionString {
  const { url, parameters } = readUrl('postgres', text, known, 'the primary');
  if (decodeURI(url.pathname) !== decodeURIComponent(url.pathname))
    throw unusable('pg does not decode every escape in a database, such as %2F; set PGDATABASE instead');
  const mode = process.env['PGSSLMODE'];
  if (mode && !sslModes.includes(mode)) throw unusable(`PGSSLMODE: expected ${sslModes.join(' or ')}`);
  if (parameters.has('ssl') && parameters.has('sslmode')) throw unusable('ssl and sslmode: keep only sslmode');
  // libpq's word for the system's authorities. pg would read a file of this name.
  if (parameters.get('sslrootcert') === 'system')
    throw unusable('sslrootcert=system: leave it out or give a file, such as /etc/ssl/certs/ca-certificates.crt');
  const host = parameters.get('host') ?? (decodeURIComponent(url.hostname) || process.env['PGHOST'] || 'localhost');
  const [ssl, negotiation] = [parameters.get('ssl'), parameters.get('sslnegotiation')];
  const choosesTls =
    ['sslmode', 'sslcert', 'sslkey', 'sslrootcert'].some((each) => parameters.has(each)) ||
    (ssl ? ssl !== '0' : negotiation === 'direct' || Boolean(mode));
  const isAlias = aliases.includes(parameters.get('sslmode') ?? '') && parameters.get('uselibpqcompat') !== 'true';
  url.searchParams.delete('prepare');
  if (isAlias) url.searchParams.set('sslmode', 'verify-full');
  return {
    url: text.replace(/\?.*/s, () => url.search),
    plaintext: !isThisMachine(host) && !choosesTls,
    prepare: parameters.get('prepare') !== 'false',
  };
}

export function unusable(reason: string, options?: ErrorOptions): Error {
  return unusableUrl('postgres', reason, options);
}

const aliases = ['prefer', 'require', 'verify-ca'];
const sslModes = ['disable', ...aliases, 'verify-full', 'no-verify'];

/** What pg 8.23 reads of a URL's query, without its timeouts, and the values that it knows. */
const known = {
  application_name: undefined,
  host: undefined,
  options: undefined,
  password: undefined,
  port: undefined,
  prepare: ['true', 'false'],
  ssl: ['true', '1', '0', 'no-verify'],
  sslcert: undefined,
  sslkey: undefined,
  sslmode: sslModes,
  sslnegotiation: ['postgres', 'direct'],
  sslrootcert: undefined,
  uselibpqcompat: ['true', 'false'],
  user: undefined,
};
