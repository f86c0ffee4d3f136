import { BlockList, isIP, isIPv4 } from 'node:net';

/** What a connection string says, without connecting. */
export interface ConnectionString {
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** `ssl-mode`; undefined without one: the connection is not encrypted. */
  readonly sslMode: string | undefined;
  /** Paths of PEM files. */
  readonly sslFiles: Partial<Record<'ca' | 'cert' | 'key', string>>;
  /** Whether a password or a plant would leave this machine without TLS although nobody wrote `ssl-mode=DISABLED`. */
  readonly plaintext: boolean;
}

/**
 * Reads `mysql://user:password@a:3306,b:3306/database?ssl-mode=…`, and refuses a parameter that is unknown, empty or given
 * twice: a misspelt `ssl-mode` would otherwise send the password in plaintext. Needs no other module, so that a
 * configuration can be checked without loading mysql2.
 *
 * @throws {Error} that says what was expected. It repeats nothing of the connection string, all of which may be part of
 * a password with unescaped characters.
 */
export function parseConnectionString(text: string): ConnectionString {
  if (text.includes('#')) throw unusable('it has a #; write %23');
  const [, userinfo = '', authority = '', rest = ''] =
    /^(?:mysql|mariadb):\/\/(?:([^@/?#]*)@)?([^@/?#]+)((?:[/?].*)?)$/s.exec(text) ?? [];
  const hosts = authority.split(',').map(hostOf);
  const url = URL.parse(`mysql://${userinfo}@host${rest}`);
  if (!url) throw unusable('Invalid URL');
  const database = decoded(url.pathname.slice(1));
  if (database === '' || database.includes('/')) throw unusable('it names no database');

  const parameters = readParameters(url.searchParams);
  const sslMode = parameters.get('ssl-mode');
  const given = sslFileNames.filter((name) => parameters.has(`ssl-${name}`));
  if (given.length > 0 && (sslMode === undefined || sslMode === 'DISABLED'))
    throw unusable(`ssl-${given[0]} needs ssl-mode=VERIFY_IDENTITY`);
  // mysql2 would compare the certificate with localhost.
  if (sslMode === 'VERIFY_IDENTITY' && hosts.some(({ host }) => isIP(host) !== 0))
    throw unusable("ssl-mode=VERIFY_IDENTITY checks a name: give the host's name, or use VERIFY_CA");
  if (parameters.has('ssl-cert') !== parameters.has('ssl-key')) throw unusable('ssl-cert and ssl-key go together');
  return {
    hosts,
    user: decoded(url.username),
    password: decoded(url.password),
    database,
    sslMode,
    sslFiles: Object.fromEntries(given.map((name) => [name, parameters.get(`ssl-${name}`)])),
    plaintext: sslMode === undefined && !hosts.every(({ host }) => isThisMachine(host)),
  };
}

/** A connection string cannot be used. The reason repeats nothing of it. */
export function unusable(reason: string): Error {
  return new Error(
    `the connection string cannot be used (${reason}): give mysql://user:password@host:port/database, with special characters percent-encoded`,
  );
}

function hostOf(text: string): ConnectionString['hosts'][number] {
  const url = URL.parse(`mysql://${text}`);
  if (!url?.hostname) throw unusable('Invalid URL');
  return { host: decoded(url.hostname).replace(/^\[(.+)\]$/, '$1'), port: Number(url.port || 3306) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw unusable('Invalid URL');
  }
}

const sslFileNames = ['ca', 'cert', 'key'] as const;

const sslModes = ['DISABLED', 'REQUIRED', 'VERIFY_CA', 'VERIFY_IDENTITY'];

const known = ['ssl-mode', ...sslFileNames.map((name) => `ssl-${name}`)];

function readParameters(search: URLSearchParams): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [at, [name, value]] of [...search].entries()) {
    if (!known.includes(name))
      throw unusable(`parameter ${at + 1} of ${search.size} is unknown: expected ${anyOf(known)}`);
    if (value === '') throw unusable(`${name} is empty: give it a value or remove it`);
    if (parameters.has(name)) throw unusable(`${name} is given twice: keep one`);
    if (name === 'ssl-mode' && !sslModes.includes(value)) throw unusable(`ssl-mode: expected ${anyOf(sslModes)}`);
    parameters.set(name, value);
  }
  return parameters;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');

/** Not by its prefix: 127.0.0.1.example.com is a name that anybody may own. */
function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && loopback.check(host));
}

function anyOf(values: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(values);
}
