import { jwtAlgorithms } from '@plant-store/adapters-tokens';
import type { StorageAdapter, StoreAt } from '@plant-store/store-kit';
import { describe, expect, test } from 'vitest';
import type { Needs } from '../../src/config/config.ts';
import { ConfigError, readConfig } from '../../src/index.ts';
import { urlForms } from '../../src/stores/index.ts';

/** What the rows below change. None of these may be in a message: a value with hunter2 may be a secret. */
const server = 'postgres://user:hunter2@db.example/plants';
const jwt = { JWT_ISSUER: 'https://issuer.example/', JWT_AUDIENCE: 'plants', JWT_JWKS_FILE: '/run/jwks.json' };
const collector = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const headers = { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20hunter2' };

const noQuotes = ', without quotes, white space or control characters around it';
const algorithms = `JWT_ALGORITHMS: expected some of ${jwtAlgorithms.join(',')}`;

describe('readConfig', () => {
  test('has a default for everything that needs one, and another one in production where that is safer', () => {
    expect(readConfig({})).toMatchObject({
      HOST: '127.0.0.1',
      PORT: 3_000,
      ADMIN_PORT: 3_001,
      DATABASE_URL: expect.stringMatching(/^sqlite:\/.*\/data\/plants\.db$/),
      MIGRATE: 'auto',
      BODY_LIMIT: 65_536,
      SHUTDOWN_DELAY_MS: 0,
      DOCS: 'on',
      storageAdapter: { form: 'sqlite:<path>' },
      production: false,
      warnings: [],
    });
    const safer = { SHUTDOWN_DELAY_MS: 3_000, DOCS: 'off', production: true, warnings: [] };
    expect(readConfig({ NODE_ENV: 'production', DATABASE_URL: 'memory:' })).toMatchObject(safer);
  });

  test.each([
    ['DATABASE_POOL_SIZE', '3', { storeLimits: { poolSize: 3 } }],
    ['DATABASE_CONNECT_TIMEOUT_MS', '100', { storeLimits: { connectWithinMs: 100 } }],
    ['DATABASE_TIMEOUT_MS', '200', { storeLimits: { timeoutMs: 200 } }],
    ['DATABASE_MAX_QUEUE_LENGTH', '1000', { storeLimits: { maxWaiting: 1_000 } }],
    ['DATABASE_MAX_BATCH', '101', { storeLimits: { maxBatch: 101 } }],
    ['DATABASE_MAX_WRITES', '4', { storeLimits: { maxWrites: 4 } }],
    ['MIGRATE_LOCK_TIMEOUT_MS', '60000', { storeLimits: { migrationLockTimeoutMs: 60_000 } }],
    ['JWT_ISSUER', 'https://i/', { JWT_ISSUER: 'https://i/', JWT_JWKS_FILE: '/run/jwks.json' }],
    ['JWT_AUDIENCE', 'a', { JWT_AUDIENCE: 'a' }],
    ['JWT_ALGORITHMS', 'RS256, ES256', { JWT_ALGORITHMS: ['RS256', 'ES256'] }],
    ['JWT_CLOCK_SKEW_SECONDS', '7', { JWT_CLOCK_SKEW_SECONDS: 7 }],
  ])('%s=%s limits the store, or which JWTs are accepted: %j', (name, value, expected) => {
    expect(readConfig({ ...jwt, DATABASE_URL: 'postgres://localhost/plants', [name]: value })).toMatchObject(expected);
  });

  test('gives a store the limits that its adapter declares, by default those of a server, and no others', () => {
    const limits = (DATABASE_URL: string, outside?: StorageAdapter) =>
      Object.keys(
        readConfig({ DATABASE_URL, DATABASE_POOL_SIZE: '3', STORAGE_ADAPTER: './shelf.js' }, { outside }).storeLimits,
      );
    const common = ['timeoutMs', 'maxWaiting', 'maxBatch'];
    const ofServers = ['poolSize', 'connectWithinMs', ...common, 'maxWrites', 'migrationLockTimeoutMs'];
    expect(limits('sqlite:x.db')).toEqual(common);
    expect(limits('memory:')).toEqual([]);
    expect(limits('shelf:1', { form: 'shelf:', urls: /^shelf:/, at: () => ({}) as StoreAt })).toEqual(ofServers);
    expect(limits('mysql://me@localhost/plants')).toEqual(ofServers);
  });

  test('treats an empty variable as not set, and leaves white space around the URL of a store out', () => {
    expect(readConfig({ PORT: '', API_TOKENS_FILE: '' })).toEqual(readConfig({}));
    expect(readConfig({ DATABASE_URL: ' sqlite:x.db\n' }).DATABASE_URL).toBe('sqlite:x.db');
  });

  test.each<[what: string, environment: NodeJS.ProcessEnv, fault: string]>([
    ['white space', { HOST: '::1 ' }, `HOST: expected a host name or an IP address${noQuotes}; got "::1 "`],
    ['a port too high', { ADMIN_PORT: '65536' }, 'ADMIN_PORT: expected a whole number from 0 to 65535, or off'],
    ['another notation', { BODY_LIMIT: '1e6' }, 'BODY_LIMIT: expected a whole number from 1 to 1073741824; got "1e6"'],
    [
      'another word',
      { LOG_LEVEL: 'loud' },
      'LOG_LEVEL: expected one of fatal, error, warn, info, debug, trace, silent',
    ],
    ['quotes, as docker --env-file passes them', { DATA_DIR: '"/data"' }, `DATA_DIR: expected a path${noQuotes}`],
    ['an unknown store', { DATABASE_URL: 'hunter2://h' }, `DATABASE_URL: expected ${urlForms()}, or a URL of `],
    ['a URL without a path', { DATABASE_URL: 'sqlite:' }, 'DATABASE_URL: expected '],
    ['a path of a shell', { DATABASE_URL: 'sqlite:~/x.db' }, 'DATABASE_URL: expected '],
    ['a line break', { DATABASE_URL: 'sqlite:x\nhunter2' }, 'DATABASE_URL: the URL has a line break'],
    [
      'an unknown value',
      { DATABASE_URL: `${server}?ssl=hunter2` },
      'DATABASE_URL: the connection string cannot be used (ssl: ',
    ],
    ['a file that is not there', { DATABASE_URL_FILE: '/no' }, 'DATABASE_URL_FILE: cannot read /no (ENOENT)'],
    ['two URLs', { DATABASE_URL_FILE: '/no', DATABASE_URL: 'memory:' }, 'DATABASE_URL_FILE: DATABASE_URL is set, too'],
    ['a URL of no adapter', { STORAGE_ADAPTER: './a.mjs', DATABASE_URL: 'other:1' }, 'DATABASE_URL: expected '],
    ['a malformed token', { API_TOKENS: 'hunter2' }, 'API_TOKENS: entry 1: '],
    [
      'no token in production',
      { NODE_ENV: 'production', DATABASE_URL: 'memory:', API_TOKENS: '' },
      'API_TOKENS: no tokens are configured: ',
    ],
    [
      'no store in production',
      { NODE_ENV: 'production', DATABSE_URL: server },
      'DATABASE_URL: not set: in production ',
    ],
    ['another store behind sqlite:', { DATABASE_URL: `sqlite:${server}` }, 'DATABASE_URL: expected '],
    ['production in capitals', { NODE_ENV: 'Production' }, 'NODE_ENV: expected production, in exactly these letters'],
    ['an invisible character', { ...jwt, JWT_AUDIENCE: 'i\u200b' }, `JWT_AUDIENCE: expected a string${noQuotes}`],
    ['no issuer', { ...jwt, JWT_ISSUER: '' }, 'JWT_ISSUER: not set: set it to the "iss" of the tokens to accept'],
    ['no audience', { ...jwt, JWT_AUDIENCE: '' }, 'JWT_AUDIENCE: not set: set it to the "aud" of the tokens for this'],
    ['no source of keys', { ...jwt, JWT_JWKS_FILE: '' }, 'JWT_JWKS_URL: not set: set it, or JWT_JWKS_FILE, to where '],
    ['two sources of keys', { ...jwt, JWT_JWKS_URL: 'https://i' }, 'JWT_JWKS_FILE: JWT_JWKS_URL is also set: keep '],
    ['keys in plaintext', { ...jwt, JWT_JWKS_FILE: '', JWT_JWKS_URL: 'http://hunter2' }, 'JWT_JWKS_URL: expected http'],
    ['no signature', { ...jwt, JWT_ALGORITHMS: 'RS256,none' }, `${algorithms}; got "RS256,none"`],
    ['a signature with a secret', { ...jwt, JWT_ALGORITHMS: 'HS256' }, `${algorithms}; got "HS256"`],
    ['a large clock skew', { ...jwt, JWT_CLOCK_SKEW_SECONDS: '301' }, 'JWT_CLOCK_SKEW_SECONDS: expected a whole '],
  ])('names the fault of %s in one line, with all others, and no secret', (_, environment, fault) => {
    const shelf = { form: 'shelf:<name>', urls: /^shelf:/, at: () => expect.unreachable() };
    const needs = { tokens: true, ...(environment['STORAGE_ADAPTER'] && { outside: shelf }) };
    const given = { MIGRATE: 'yes', API_TOKENS: 'token-of-one-client', ...environment };
    const [title, ...lines] = errorOf(given, needs).split('\n  ');
    expect([title, lines.length]).toEqual(['Invalid configuration:', 2]);
    expect(lines).toContain('MIGRATE: expected auto or off; got "yes"');
    expect(lines).toContainEqual(expect.stringContaining(fault));
    expect(lines.join()).not.toContain('hunter2');
  });

  test.each([
    { ADMIN_PORT: '3000' },
    { ADMIN_PORT: '3000', HOST: '0.0.0.0' },
    { ADMIN_PORT: '3000', HOST: '::1', ADMIN_HOST: '::' },
  ])('rejects one port for both listeners: %j', (environment) => {
    const message = 'ADMIN_PORT: PORT is the same: set another (0 picks a free one)';
    expect(errorOf(environment)).toBe(`Invalid configuration:\n  ${message}`);
    expect(errorOf({ ...environment, MIGRATE: 'yes' })).toContain(message);
  });

  test.each<NodeJS.ProcessEnv>([
    { DATABASE_URL: `${server}?sslmode=disable` },
    { DATABASE_URL: 'mysql://h/d?ssl-mode=VERIFY_IDENTITY' },
    { PORT: '3001', ADMIN_HOST: '127.0.0.2' },
    { PORT: '3001', HOST: '::1', ADMIN_HOST: '0.0.0.0' },
    { ...jwt, JWT_AUDIENCE: "it's a b" },
    // Of others, or empty.
    { NODE_OPTIONS: '--enable-source-maps', API_TOKEN: 'x', OTEL_BSP_SCHEDULE_DELAY: '1', DATABASE_POOL: '' },
    // No secret, or nobody who could read it.
    { [collector]: 'http://collector.example:4318' },
    { ...headers, [collector]: 'https://collector.example' },
    { ...headers, [collector]: 'collector.example:4317' },
    { ...headers, [collector]: 'http://collector.example', OTEL_TRACES_EXPORTER: 'none' },
  ])('has nothing to say against %j, even in production', (environment) => {
    expect(readConfig({ DATABASE_URL: 'memory:', ...environment, NODE_ENV: 'production' }).warnings).toEqual([]);
  });

  test.each(['DATABASE_UR', 'JWT_ISUER', 'RATE_LIMIT', 'LOG_BUFFER_BYTES', 'WORKERS'])(
    'warns of %s, which is no setting',
    (name) => {
      const warning = `${name}: unknown setting, ignored; see plant-store help environment`;
      expect(readConfig({ [name]: 'hunter2', NODE_ENV: 'prod' }).warnings).toEqual([warning]);
    },
  );

  const readable = 'a secret, in its headers or in the URL, can be read on the way: use https://…';
  const notEncrypted = 'the connection is not encrypted, so the password and the plants can be read on the way: add ';
  const traces = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
  test.each<[name: string, text: string, environment: NodeJS.ProcessEnv]>([
    [collector, readable, { ...headers, [collector]: 'http://collector.example:4318' }],
    [collector, readable, { [collector]: 'http://user:hunter2@collector.example' }],
    [collector, readable, { [collector]: 'http://collector.example?key=hunter2' }],
    [collector, readable, { ...headers, [collector]: 'h.example:4317', OTEL_EXPORTER_OTLP_INSECURE: 'true' }],
    [traces, readable, { [traces]: 'http://h.example', OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'k=hunter2' }],
    ['DATABASE_URL', `${notEncrypted}sslmode=verify-full, or sslmode=disable `, { DATABASE_URL: server }],
    ['DATABASE_URL', `${notEncrypted}ssl-mode=VERIFY_IDENTITY, or `, { DATABASE_URL: 'mysql://user:hunter2@h:3307/d' }],
  ])('a secret in plaintext is a warning of %s, and in production a fault: %s', (name, text, environment) => {
    const { warnings } = readConfig(environment);
    expect(warnings).toEqual([expect.stringContaining(`${name}: ${text}`)]);
    expect(warnings.join()).not.toContain('hunter2');
    expect(errorOf({ DATABASE_URL: 'memory:', ...environment, NODE_ENV: 'production' })).toBe(
      `Invalid configuration:\n  ${warnings[0]}`,
    );
  });
});

/** The message for the operator. A comparison as text shows the whole difference, which `toThrow` cuts off. */
function errorOf(environment: NodeJS.ProcessEnv, needs: Needs = {}): string {
  try {
    readConfig(environment, needs);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'accepted';
}
