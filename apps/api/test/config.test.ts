import { jwtAlgorithms } from '@plant-store/adapters-tokens';
import type { Storage, StorageAdapter } from '@plant-store/store-kit';
import { describe, expect, test } from 'vitest';
import { maskedUrl, type Needs } from '../src/config.ts';
import { ConfigError, readConfig } from '../src/index.ts';
import { describeUrls } from '../src/stores.ts';

/** What the rows below change. None of these may be in a message: a value with hunter2 may be a secret. */
const server = 'postgres://user:hunter2@db.example/plants';
const jwt = { JWT_ISSUER: 'https://issuer.example/', JWT_AUDIENCE: 'plants', JWT_JWKS_FILE: '/run/jwks.json' };

describe('readConfig', () => {
  test('has a default for everything that needs one, and another one in production where that is safer', () => {
    const byDefault = { HOST: '127.0.0.1', PORT: 3_000, ADMIN_PORT: 3_001, MIGRATE: 'auto', BODY_LIMIT: 65_536 };
    const development = { SHUTDOWN_DELAY_MS: 0, DOCS: 'on', DATABASE_URL: 'sqlite:data/plants.db', production: false };
    expect(readConfig({})).toMatchObject({ ...byDefault, ...development, warnings: [] });
    const safer = { ...byDefault, SHUTDOWN_DELAY_MS: 3_000, DOCS: 'off', production: true, warnings: [] };
    expect(readConfig({ NODE_ENV: 'production', DATABASE_URL: 'memory:' })).toMatchObject(safer);
  });

  test('gives a store the limits that its adapter declares, by default those of a server, and no others', () => {
    const limits = (DATABASE_URL: string, outside?: StorageAdapter) =>
      readConfig({ DATABASE_URL, DATABASE_POOL_SIZE: '3', DATABASE_TIMEOUT_MS: '200' }, { outside }).storeLimits;
    const common = { timeoutMs: 200, maxWaiting: 2_000 };
    expect(limits('sqlite:x.db')).toEqual(common);
    expect(limits('memory:')).toEqual({});
    const shelf = { form: 'shelf:', urls: /^shelf:/, at: () => ({}) as Storage };
    expect(limits('shelf:1', shelf)).toEqual({ ...common, poolSize: 3 });
    expect(limits('mysql://me@localhost/plants')).toEqual({ ...common, poolSize: 3 });
  });

  test('treats an empty variable as not set, and leaves white space around the URL of a store out', () => {
    expect(readConfig({ PORT: '', API_TOKENS_FILE: '' })).toEqual(readConfig({}));
    expect(readConfig({ DATABASE_URL: ' sqlite:x.db\n' }).DATABASE_URL).toBe('sqlite:x.db');
    expect(readConfig({ ...jwt, JWT_ALGORITHMS: 'RS256, ES256' }).JWT_ALGORITHMS).toEqual(['RS256', 'ES256']);
  });

  const algorithms = `JWT_ALGORITHMS: expected some of ${jwtAlgorithms.join(',')}`;
  test.each<[what: string, environment: NodeJS.ProcessEnv, fault: string]>([
    ['white space', { HOST: '::1 ' }, 'HOST: expected a host name or an IP address'],
    ['a port too high', { ADMIN_PORT: '65536' }, 'ADMIN_PORT: expected a whole number from 0 to 65535, or off'],
    ['another notation', { BODY_LIMIT: '1e6' }, 'BODY_LIMIT: expected a whole number from 1 to 1073741824'],
    ['another word', { LOG_LEVEL: 'hunter2' }, 'LOG_LEVEL: expected fatal or error or '],
    ['quotes, as docker --env-file passes them', { DATA_DIR: '"/data"' }, 'DATA_DIR: expected a path'],
    ['an unknown store', { DATABASE_URL: 'hunter2://h' }, `DATABASE_URL: expected ${describeUrls()}, or a URL of `],
    ['a path of a shell', { DATABASE_URL: 'sqlite:~/x.db' }, 'DATABASE_URL: expected '],
    ['another store behind sqlite:', { DATABASE_URL: `sqlite:${server}` }, 'DATABASE_URL: expected '],
    ['a line break', { DATABASE_URL: 'sqlite:x\nhunter2' }, 'DATABASE_URL: expected '],
    ['an unknown parameter', { DATABASE_URL: `${server}?ssl=hunter2` }, 'DATABASE_URL: '],
    ['a file that is not there', { DATABASE_URL_FILE: '/no' }, 'DATABASE_URL_FILE: cannot read /no (ENOENT)'],
    ['an empty file', { DATABASE_URL_FILE: '/dev/null' }, `DATABASE_URL_FILE: expected ${describeUrls()}`],
    ['two URLs', { DATABASE_URL_FILE: '/no', DATABASE_URL: 'memory:' }, 'DATABASE_URL_FILE: DATABASE_URL is set, too'],
    ['a malformed token', { API_TOKENS: 'hunter2' }, 'API_TOKENS: expected comma-separated tokens'],
    ['no token in production', { NODE_ENV: 'production', DATABASE_URL: 'memory:' }, 'API_TOKENS: no tokens are '],
    ['no store in production', { NODE_ENV: 'production', API_TOKENS: 'x'.repeat(16) }, 'DATABASE_URL: not set: in '],
    ['production in capitals', { NODE_ENV: 'Production' }, 'NODE_ENV: expected production, in exactly these letters'],
    ['an invisible character', { ...jwt, JWT_AUDIENCE: 'i\u200b' }, 'JWT_AUDIENCE: expected a string'],
    ['no issuer', { ...jwt, JWT_ISSUER: '' }, 'JWT_ISSUER: not set: set it to the "iss" of the tokens to accept'],
    ['no audience', { ...jwt, JWT_AUDIENCE: '' }, 'JWT_AUDIENCE: not set: set it to the "aud" of the tokens for this'],
    ['no source of keys', { ...jwt, JWT_JWKS_FILE: '' }, 'JWT_JWKS_URL: set it, or JWT_JWKS_FILE, to where '],
    ['two sources of keys', { ...jwt, JWT_JWKS_URL: 'https://i' }, 'JWT_JWKS_URL: set it, or JWT_JWKS_FILE, to where '],
    ['keys in plaintext', { ...jwt, JWT_JWKS_FILE: '', JWT_JWKS_URL: 'http://hunter2' }, 'JWT_JWKS_URL: expected http'],
    ['no signature', { ...jwt, JWT_ALGORITHMS: 'RS256,none' }, algorithms],
    ['a large clock skew', { ...jwt, JWT_CLOCK_SKEW_SECONDS: '301' }, 'JWT_CLOCK_SKEW_SECONDS: expected a whole '],
  ])('names the setting and the fault of %s, in one line, and no secret', (_, environment, fault) => {
    const message = readError(environment, { tokens: true });
    expect(message).toMatch(/^(?:Invalid configuration:\n {2})?[A-Z_]+: [^\n]+$/);
    expect(message).toContain(fault);
    expect(message).not.toContain('hunter2');
  });

  test('P8/F11 reports all malformed settings at once', () => {
    const lines = ['PORT: expected a whole number from 0 to 65535', 'MIGRATE: expected auto or off'];
    expect(readError({ PORT: 'x', MIGRATE: 'yes' })).toBe(['Invalid configuration:', ...lines].join('\n  '));
  });

  test.each([
    ['DATABASE_UR', 1],
    ['LOG_LEVLE', 1],
    ['RATE_LIMIT', 1],
    ['NODE_OPTIONS', 0],
    ['API_TOKEN', 0],
    ['JWT_SECRET', 1],
  ])('warns of %s, if it looks like a setting and is none: %i', (name, warnings) => {
    expect(readConfig({ [name]: 'hunter2' }).warnings).toEqual(
      warnings ? [`${name}: unknown setting, ignored; see plant-store help environment`] : [],
    );
  });

  test.each([
    ['sslmode=verify-full, or sslmode=disable ', server],
    ['ssl-mode=VERIFY_IDENTITY, or ', 'mysql://user:hunter2@h:3307/d'],
  ])('a connection in plaintext is a warning, and in production a fault: add %s', (advice, DATABASE_URL) => {
    const { warnings } = readConfig({ DATABASE_URL });
    expect(warnings).toEqual([expect.stringMatching(`^DATABASE_URL: the connection is not encrypted.* add ${advice}`)]);
    expect(warnings.join()).not.toContain('hunter2');
    expect(readError({ DATABASE_URL, NODE_ENV: 'production' })).toBe(`Invalid configuration:\n  ${warnings[0]}`);
  });
});

test.each([
  ['postgres://user:S@host:5432/db?sslmode=S', 'postgres://host:5432/db'],
  ['https://S@host/x?S#S', 'https://host/x'],
  ['sqlite:postgres://user:S@host/x', '***'],
  ['//user:S@host', '***'],
  ['postgres:/user:S@host/db', '***'],
  ['sqlite:data/plants.db', 'sqlite:data/plants.db'],
])('a URL is shown without what may be a secret: %j', (url, shown) => {
  expect(maskedUrl(url)).toBe(shown);
});

/** The message for the operator. A comparison as text shows the whole difference, which `toThrow` cuts off. */
function readError(environment: NodeJS.ProcessEnv, needs: Needs = {}): string {
  try {
    readConfig(environment, needs);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'accepted';
}
