import { jwtAlgorithms } from '@plant-store/adapters-tokens';
import { describe, expect, test } from 'vitest';
import type { Needs } from '../../src/config/config.ts';
import { settings } from '../../src/config/index.ts';
import { ConfigError, readConfig } from '../../src/index.ts';
import { urlForms } from '../../src/stores/index.ts';

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
      jwt: undefined,
      production: false,
      warnings: [],
    });
    const safer = { SHUTDOWN_DELAY_MS: 3_000, DOCS: 'off', production: true, warnings: [] };
    expect(readConfig({ NODE_ENV: 'production' })).toMatchObject(safer);
  });

  test('reads every setting, and has nothing under a name that is none', () => {
    const environment = {
      HOST: '::',
      PORT: '0',
      ADMIN_HOST: '0.0.0.0',
      ADMIN_PORT: '9000',
      ADMIN_MAX_CONNECTIONS: '20',
      DATABASE_URL: 'postgres://user@host/db?sslmode=verify-full',
      STORAGE_ADAPTER: './adapter.ts',
      DATA_DIR: '/var/lib/plants',
      DATABASE_POOL_SIZE: '3',
      DATABASE_CONNECT_TIMEOUT_MS: '100',
      DATABASE_TIMEOUT_MS: '200',
      DATABASE_MAX_WAIT_MS: '50',
      DATABASE_MAX_QUEUE_LENGTH: '1000',
      DATABASE_MAX_BATCH: '101',
      DATABASE_MAX_WRITES: '4',
      MIGRATE: 'off',
      MIGRATE_LOCK_TIMEOUT_MS: '60000',
      API_TOKENS: 'token-of-one-client,token-of-another',
      API_TOKENS_FILE: '/run/tokens',
      BODY_LIMIT: '64',
      MAX_REQUESTS_IN_FLIGHT: '102',
      MAX_CONNECTIONS: '500',
      KEEP_ALIVE_TIMEOUT_MS: '620000',
      RATE_LIMIT_PER_SECOND: '5',
      SHUTDOWN_DELAY_MS: '15000',
      DOCS: 'off',
      LOG_LEVEL: 'silent',
      LOG_BUFFER_BYTES: '65536',
      NODE_ENV: 'production',
      JWT_ISSUER: 'https://issuer.example/',
      JWT_AUDIENCE: 'https://plants.example',
      JWT_JWKS_URL: 'https://issuer.example/jwks',
      JWT_ALGORITHMS: 'RS256, ES256',
      JWT_CLOCK_SKEW_SECONDS: '7',
      JWT_REFRESH_SECONDS: '60',
      JWT_TIMEOUT_MS: '501',
    };
    const { storageAdapter, storeLimits, jwt, production, warnings, ...read } = readConfig(environment);
    expect(read).toEqual({
      ...Object.fromEntries(
        Object.entries(environment).map(([name, value]) => [name, /^\d+$/.test(value) ? Number(value) : value]),
      ),
      JWT_ALGORITHMS: ['RS256', 'ES256'],
    });
    expect([...Object.keys(environment), 'DATABASE_URL_FILE', 'JWT_JWKS_FILE'].toSorted()).toEqual(
      Object.keys(settings.shape).toSorted(),
    );
    expect(storeLimits).toEqual({
      poolSize: 3,
      connectWithinMs: 100,
      timeoutMs: 200,
      maxWaitMs: 50,
      maxWaiting: 1_000,
      maxBatch: 101,
      maxWrites: 4,
      migrationLockTimeoutMs: 60_000,
    });
    expect(jwt).toEqual({
      issuer: 'https://issuer.example/',
      audience: 'https://plants.example',
      jwksUrl: 'https://issuer.example/jwks',
      jwksFile: undefined,
      algorithms: ['RS256', 'ES256'],
      clockSkewSeconds: 7,
      refreshMs: 60_000,
      timeoutMs: 501,
    });
    expect({ form: storageAdapter?.form, production, warnings }).toEqual({
      form: 'postgres://…',
      production: true,
      warnings: [],
    });
  });

  test.each([
    'https://i.example/ ',
    '\thttps://i.example/',
    '"https://i.example/"',
    '“i”',
    "'i'",
    'i\n',
    'a\u0000b',
    'i\u0085i',
    'i\u200b',
    '`i`',
  ])('rejects %j where it would never match: as an issuer, an audience and a host', (text) => {
    const message = errorOf({ JWT_ISSUER: text, JWT_AUDIENCE: text, JWT_JWKS_FILE: 'x', HOST: text, ADMIN_HOST: text });
    const form = ', without quotes, white space or control characters around it; got ';
    expect(message.split('\n').slice(1)).toEqual([
      expect.stringContaining(`HOST: expected a host name or an IP address${form}`),
      expect.stringContaining(`ADMIN_HOST: expected a host name or an IP address${form}`),
      expect.stringContaining(`JWT_ISSUER: expected a string${form}`),
      expect.stringContaining(`JWT_AUDIENCE: expected a string${form}`),
    ]);
  });

  test.each(['Production', 'PRODUCTION', ' production', 'production\n'])(
    'does not take %j for development',
    (NODE_ENV) => {
      expect(errorOf({ NODE_ENV })).toBe(
        'Invalid configuration:\n  NODE_ENV: expected production, in exactly these letters, or another word; got ' +
          JSON.stringify(NODE_ENV),
      );
    },
  );

  test.each([
    [
      'STORAGE_ADAPTER, of a module that was loaded',
      { STORAGE_ADAPTER: './a.mjs', DATABASE_URL: 'other:1' },
      'DATABASE_URL: expected ',
    ],
    [
      'a path with quotes, as docker --env-file passes it',
      { DATA_DIR: '"/data"' },
      'DATA_DIR: expected a path, without quotes',
    ],
    ['a malformed token', { API_TOKENS: 'short' }, 'API_TOKENS: entry 1: '],
    ['no token in production', { NODE_ENV: 'production' }, 'API_TOKENS: no tokens are configured: '],
    ['a file that is not there', { DATABASE_URL_FILE: '/nope' }, 'DATABASE_URL_FILE: cannot read /nope (ENOENT)'],
    [
      'a URL and a file',
      { DATABASE_URL_FILE: '/nope', DATABASE_URL: 'memory:' },
      'DATABASE_URL_FILE: DATABASE_URL is set, too',
    ],
  ])('names the fault of %s, with all others', (_, environment, fault) => {
    const shelf = { form: 'shelf:<name>', urls: /^shelf:/, at: () => expect.unreachable() };
    const needs = { outside: shelf, tokens: true };
    const lines = errorOf({ PORT: 'x', ...environment }, needs)
      .split('\n')
      .slice(1);
    expect(lines).toEqual([expect.stringContaining('PORT: expected'), expect.stringContaining(fault)]);
  });

  test.each(["it's", 'https://i.example/a b'])('accepts %j as an audience', (JWT_AUDIENCE) => {
    expect(errorOf({ JWT_ISSUER: 'i', JWT_AUDIENCE, JWT_JWKS_FILE: '/run/jwks.json' })).toBe('accepted');
  });

  test.each(['', 'development', 'test', 'staging', 'prod'])('takes %j for development', (NODE_ENV) => {
    expect(readConfig({ NODE_ENV }).production).toBe(false);
  });

  test.each([
    'DATABASE_UR',
    'JWT_ISUER',
    'RATE_LIMIT',
    'BODY_LIMIT_BYTES',
    'SHUTDOWN_DELAY',
    'STORAGE_ADAPTERS',
    'WORKERS',
  ])('warns of a variable that begins like a setting: %s', (name) => {
    const warning = `${name}: unknown setting, ignored; see plant-store help environment`;
    expect(readConfig({ [name]: 'hunter2' }).warnings).toEqual([warning]);
  });

  test('does not warn of variables of others', () => {
    const environment = {
      PATH: '/bin',
      NODE: '/bin/node',
      NODE_OPTIONS: '--enable-source-maps',
      API_TOKEN: 'x',
      OTEL_BSP_SCHEDULE_DELAY: '1',
      DATABASE_POOL: '',
    };
    expect(readConfig(environment).warnings).toEqual([]);
  });

  test('treats an empty variable as not set', () => {
    expect(readConfig({ PORT: '', API_TOKENS_FILE: '' })).toEqual(readConfig({}));
  });

  test.each(['memory:', 'sqlite:x.db', 'sqlite:./~x.db', 'postgres://h/d', 'postgresql://h/d'])('accepts %s', (url) => {
    expect(readConfig({ DATABASE_URL: url }).DATABASE_URL).toBe(url);
  });

  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['0.0.0.0', '127.0.0.1'],
    ['::1', '::'],
  ])('rejects one port for both listeners, on %s and %s', (HOST, ADMIN_HOST) => {
    expect(errorOf({ HOST, ADMIN_HOST, PORT: '3001' })).toBe(
      'Invalid configuration:\n  ADMIN_PORT: PORT is the same: set another (0 picks a free one)',
    );
  });

  test.each([
    { PORT: '0', ADMIN_PORT: '0' },
    { PORT: '3001', ADMIN_PORT: 'off' },
    { PORT: '3001', ADMIN_HOST: '127.0.0.2' },
    { PORT: '3001', HOST: '::1', ADMIN_HOST: '0.0.0.0' },
  ])('accepts ports of which none is in the way of the other: %j', (environment) => {
    expect(errorOf(environment)).toBe('accepted');
  });

  test.each([' \n', 'sqlite::memory:', 'sqlite:~/plants.db', 'sqlite:', 'no-such-engine://h/d', 'mysql:', 'memory:x'])(
    'rejects %s',
    (url) => {
      expect(() => readConfig({ DATABASE_URL: url })).toThrow('DATABASE_URL: expected');
    },
  );

  test('white space around the URL of a store is left out', () => {
    expect(readConfig({ DATABASE_URL: ' sqlite:x.db\n' }).DATABASE_URL).toBe('sqlite:x.db');
  });

  test.each(['sqlite:x.db\nsecond', 'sqlite:x.db\rsecond', 'postgres://user:hunter2@localhost/d\nsecond'])(
    'rejects a line break: %j',
    (DATABASE_URL) => {
      expect(errorOf({ DATABASE_URL })).toBe(
        'Invalid configuration:\n  DATABASE_URL: the URL has a line break; write one URL, on one line',
      );
    },
  );

  describe('a collector of traces on another machine that is sent a secret in plaintext', () => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector.example:4318';
    const OTEL_EXPORTER_OTLP_HEADERS = 'authorization=Bearer%20hunter2';

    test.each([
      [{ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS }, 'OTEL_EXPORTER_OTLP_ENDPOINT'],
      [
        {
          OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: OTEL_EXPORTER_OTLP_ENDPOINT,
          OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'k=hunter2',
        },
        'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
      ],
      [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:hunter2@collector.example' }, 'OTEL_EXPORTER_OTLP_ENDPOINT'],
      [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example?key=hunter2' }, 'OTEL_EXPORTER_OTLP_ENDPOINT'],
      [
        {
          OTEL_EXPORTER_OTLP_ENDPOINT: 'collector.example:4317',
          OTEL_EXPORTER_OTLP_INSECURE: 'true',
          OTEL_EXPORTER_OTLP_HEADERS,
        },
        'OTEL_EXPORTER_OTLP_ENDPOINT',
      ],
    ])('is a warning, and in production a fault: %j', (environment, name) => {
      const text = `${name}: a secret, in its headers or in the URL, can be read on the way: use https://…`;
      expect(readConfig(environment).warnings).toEqual([text]);
      expect(errorOf({ ...environment, NODE_ENV: 'production' })).toBe(`Invalid configuration:\n  ${text}`);
    });

    test.each([
      { OTEL_EXPORTER_OTLP_ENDPOINT },
      { OTEL_EXPORTER_OTLP_HEADERS },
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example', OTEL_EXPORTER_OTLP_HEADERS },
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_EXPORTER_OTLP_HEADERS },
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector.example:4317', OTEL_EXPORTER_OTLP_HEADERS },
      { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS, OTEL_TRACES_EXPORTER: 'none' },
    ])('is not what %j says', (environment) => {
      expect(readConfig({ ...environment, NODE_ENV: 'production' }).warnings).toEqual([]);
    });
  });

  describe('a database on another machine that is reached in plaintext', () => {
    const url = 'postgres://user:hunter2@db.example/plants';
    const text =
      'DATABASE_URL: the connection is not encrypted, so the password and the plants can be read on the way: add sslmode=verify-full, or sslmode=disable if nobody else is on its network';

    test('is a warning, and in production a fault', () => {
      expect(readConfig({ DATABASE_URL: url }).warnings).toEqual([text]);
      expect(errorOf({ DATABASE_URL: url, NODE_ENV: 'production' })).toBe(`Invalid configuration:\n  ${text}`);
    });

    test('has parameters of its own on MySQL', () => {
      const [warning] = readConfig({ DATABASE_URL: 'mysql://user:hunter2@h:3307/plants' }).warnings;
      expect(warning).toMatch(/add ssl-mode=VERIFY_IDENTITY, or ssl-mode=DISABLED if nobody else is on its network$/);
      expect(errorOf({ DATABASE_URL: 'mysql://user:hunter2@h/plants?sslmode=verify-full' })).toMatch(
        /DATABASE_URL: the connection string cannot be used \(parameter 1 of 1 is unknown: expected ssl-mode, /,
      );
    });

    test.each([
      `${url}?sslmode=verify-full`,
      `${url}?sslmode=disable`,
      'mysql://h/d?ssl-mode=VERIFY_IDENTITY',
      'postgres://user@127.0.0.1/plants',
      'sqlite:x',
    ])('is not what %s names', (DATABASE_URL) => {
      expect(readConfig({ DATABASE_URL, NODE_ENV: 'production' }).warnings).toEqual([]);
    });

    test.each([
      'postgres://user:hunter2@a,b/plants',
      'citus://user:hunter2@a:1,b:2/plants',
      'mysql://user:hunter2@a,b:3307/plants',
    ])('is not asked of %s, which names several hosts', (DATABASE_URL) => {
      expect(errorOf({ DATABASE_URL })).toMatch(/it names several hosts; name one: a proxy, or a virtual address/);
    });

    test('is not assumed of a URL that cannot be used, which is reported with all other faults', () => {
      expect(errorOf({ PORT: 'x', DATABASE_URL: `${url}?ssl=yes` })).toMatch(
        /^Invalid configuration:\n {2}PORT: .*\n {2}DATABASE_URL: the connection string cannot be used \(ssl: expected true or /,
      );
    });
  });

  const jwt = { JWT_ISSUER: 'hunter2', JWT_AUDIENCE: 'hunter2', JWT_JWKS_FILE: 'hunter2' };
  const whereKeysAre = "to where the issuer's public keys are";
  test.each([
    ['no source of keys', { JWT_JWKS_FILE: '' }, `JWT_JWKS_URL: not set: set it, or JWT_JWKS_FILE, ${whereKeysAre}`],
    [
      'two sources of keys',
      { JWT_JWKS_URL: 'https://hunter2.example' },
      'JWT_JWKS_FILE: JWT_JWKS_URL is also set: keep only one of them',
    ],
    ['no issuer', { JWT_ISSUER: '' }, 'JWT_ISSUER: not set: set it to the "iss" of the tokens to accept'],
    ['no audience', { JWT_AUDIENCE: '' }, 'JWT_AUDIENCE: not set: set it to the "aud" of the tokens for this service'],
    [
      'an insecure URL',
      { JWT_JWKS_FILE: '', JWT_JWKS_URL: 'http://hunter2.example' },
      'JWT_JWKS_URL: expected https://… without a user and a password, or http://… on this machine (localhost, 127.0.0.1, [::1])',
    ],
    [
      'an algorithm that is not a signature',
      { JWT_ALGORITHMS: 'RS256,none' },
      `JWT_ALGORITHMS: expected some of ${jwtAlgorithms.join(',')}; got "RS256,none"`,
    ],
    [
      'an algorithm whose key is a secret',
      { JWT_ALGORITHMS: 'HS256' },
      `JWT_ALGORITHMS: expected some of ${jwtAlgorithms.join(',')}; got "HS256"`,
    ],
    [
      'a clock skew that is too large',
      { JWT_CLOCK_SKEW_SECONDS: '301' },
      'JWT_CLOCK_SKEW_SECONDS: expected a whole number from 0 to 300; got "301"',
    ],
  ])('reports JWTs with %s in one line, with all other faults', (_, change, line) => {
    const error = errorOf({ PORT: 'x', ...jwt, ...change });
    expect(error).toBe(`Invalid configuration:\n  PORT: expected a whole number from 0 to 65535; got "x"\n  ${line}`);
    expect(error).not.toContain('hunter2');
  });

  test('reports everything that is missing for JWTs', () => {
    expect(errorOf({ JWT_REFRESH_SECONDS: 'often' })).toBe(
      [
        'Invalid configuration:',
        '  JWT_ISSUER: not set: set it to the "iss" of the tokens to accept',
        '  JWT_AUDIENCE: not set: set it to the "aud" of the tokens for this service',
        `  JWT_JWKS_URL: not set: set it, or JWT_JWKS_FILE, ${whereKeysAre}`,
        '  JWT_REFRESH_SECONDS: expected a whole number from 1 to 86400; got "often"',
      ].join('\n'),
    );
  });

  test('lists every faulty variable with what was expected and, unless it may be a secret, its value', () => {
    const error = errorOf({
      PORT: '65536',
      ADMIN_PORT: '-1',
      DATABASE_URL: 'no-such-engine://root:secret@host',
      MIGRATE: 'yes',
      BODY_LIMIT: '1e6',
      LOG_LEVEL: 'loud',
    });
    expect(error).toBe(
      [
        'Invalid configuration:',
        '  PORT: expected a whole number from 0 to 65535; got "65536"',
        '  ADMIN_PORT: expected a whole number from 0 to 65535, or off; got "-1"',
        `  DATABASE_URL: expected ${urlForms()}, or a URL of STORAGE_ADAPTER`,
        '  MIGRATE: expected auto or off; got "yes"',
        '  BODY_LIMIT: expected a whole number from 1 to 1073741824; got "1e6"',
        '  LOG_LEVEL: expected one of fatal, error, warn, info, debug, trace, silent; got "loud"',
      ].join('\n'),
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
