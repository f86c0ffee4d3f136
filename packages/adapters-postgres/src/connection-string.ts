import { isThisMachine, readParameters, unusable as unusableUrl } from '@plant-store/store-kit/connection-url';

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
export function parseConnectionString(
  text: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ConnectionString {
  // A user without a host: no URL to WHATWG, but one to pg and to libpq.
  const url = URL.parse(text) ?? URL.parse(text.replace('@/', '@localhost/'));
  if (/^postgres(ql)?:\/\/([^/?#]*@)?[^@/?#]*,/.test(text) || url?.searchParams.get('host')?.includes(','))
    throw unusable('it names several hosts; name one: a proxy, or a virtual address, that leads to the primary');
  if (!url) throw unusable('Invalid URL');
  if (text.includes('#')) throw unusable('it has a #; write %23');
  const mode = environment['PGSSLMODE'];
  if (mode && !sslModes.includes(mode)) throw unusable(`PGSSLMODE: expected ${sslModes.join(' or ')}`);
  const parameters = readParameters('postgres', known, url.searchParams);
  if (parameters.has('ssl') && parameters.has('sslmode')) throw unusable('ssl and sslmode: keep only sslmode');
  const host = parameters.get('host') ?? (decoded(url.hostname) || environment['PGHOST'] || 'localhost');
  const [ssl, negotiation] = [parameters.get('ssl'), parameters.get('sslnegotiation')];
  const choosesTls =
    ['sslmode', 'sslcert', 'sslkey', 'sslrootcert'].some((each) => parameters.has(each)) ||
    (ssl ? ssl !== '0' : negotiation === 'direct' || Boolean(mode));
  const isAlias = aliases.includes(parameters.get('sslmode') ?? '') && parameters.get('uselibpqcompat') !== 'true';
  return {
    url: without(['prepare', ...(isAlias ? ['sslmode'] : [])], text, isAlias ? '&sslmode=verify-full' : ''),
    plaintext: !isThisMachine(host) && !choosesTls,
    prepare: parameters.get('prepare') !== 'false',
  };
}

export function unusable(reason: string, options?: ErrorOptions): Error {
  return unusableUrl('postgres', reason, options);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw unusable('Invalid URL');
  }
}

/** A URL without some of its parameters. The rest stays as it is written: pg decodes a whole URL in one of two ways. */
function without(names: readonly string[], text: string, added: string): string {
  const isLeft = (pair: string) => !names.includes([...new URLSearchParams(pair).keys()][0] ?? '');
  return text.replace(/(?<=\?).*/s, (query) => query.split('&').filter(isLeft).join('&') + added);
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
