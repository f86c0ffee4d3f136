import { isIP } from 'node:net';
import { isThisMachine, readUrl, unusable as unusableUrl } from '@plant-store/store-kit/connection-url';

/** What a connection string says, without connecting. */
export interface ConnectionString {
  readonly host: string;
  readonly port: number;
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
 * Reads a connection string, and refuses what mysql2 would pass over in silence: a misspelt `ssl-mode` would send the
 * password in plaintext. Needs no driver, so that a configuration can be checked without loading one.
 *
 * @throws {Error} that says what was expected, and repeats nothing of the connection string, all of which may be part of a
 *   password with unescaped characters.
 */
export function parseConnectionString(text: string): ConnectionString {
  const { url, parameters } = readUrl('mysql', text, known, 'the one that writes');
  const host = decodeURIComponent(url.hostname).replace(/^\[(.+)\]$/, '$1');
  if (!['mysql:', 'mariadb:'].includes(url.protocol) || !host) throw unusable('Invalid URL');
  const database = decodeURIComponent(url.pathname.slice(1));
  if (database === '' || database.includes('/')) throw unusable('it names no database');
  const sslMode = parameters.get('ssl-mode');
  const given = (['ca', 'cert', 'key'] as const).filter((name) => parameters.has(`ssl-${name}`));
  if (given.length > 0 && (sslMode === undefined || sslMode === 'DISABLED'))
    throw unusable(`ssl-${given[0]} needs ssl-mode=VERIFY_IDENTITY`);
  // mysql2 would compare the certificate with localhost.
  if (sslMode === 'VERIFY_IDENTITY' && isIP(host) !== 0)
    throw unusable("ssl-mode=VERIFY_IDENTITY checks a name: give the host's name, or use VERIFY_CA");
  if (parameters.has('ssl-cert') !== parameters.has('ssl-key')) throw unusable('ssl-cert and ssl-key go together');
  return {
    host,
    port: Number(url.port || 3306),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database,
    sslMode,
    sslFiles: Object.fromEntries(given.map((name) => [name, parameters.get(`ssl-${name}`)])),
    plaintext: sslMode === undefined && !isThisMachine(host),
  };
}

export function unusable(reason: string): Error {
  return unusableUrl('mysql', reason);
}

const known = {
  'ssl-mode': ['DISABLED', 'REQUIRED', 'VERIFY_CA', 'VERIFY_IDENTITY'],
  'ssl-ca': undefined,
  'ssl-cert': undefined,
  'ssl-key': undefined,
};
