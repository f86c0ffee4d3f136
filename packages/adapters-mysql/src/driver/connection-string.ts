import { isIP } from 'node:net';
import { isThisMachine, urlGrammar } from '@plant-store/sql-store/connection-url';

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

export { unusable };

const { unusable, readParameters } = urlGrammar('mysql', {
  'ssl-mode': ['DISABLED', 'REQUIRED', 'VERIFY_CA', 'VERIFY_IDENTITY'],
  'ssl-ca': undefined,
  'ssl-cert': undefined,
  'ssl-key': undefined,
});
