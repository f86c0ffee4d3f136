import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from '../src/index.ts';

describe('readConfig', () => {
  test('has a default for everything', () => {
    expect(readConfig({})).toEqual({
      http: { host: '127.0.0.1', port: 3000 },
      admin: { host: '127.0.0.1', port: 3001 },
      databaseLimits: {},
      databaseUrl: expect.stringMatching(/^sqlite:\/.*\/data\/plants\.db$/),
      dataDirectory: expect.stringMatching(/\/data$/),
      migrate: 'auto',
      tokens: '',
      tokensFile: undefined,
      workers: 1,
      bodyLimit: 1_048_576,
      logLevel: 'info',
      production: false,
    });
  });

  test('reads every variable', () => {
    const config = readConfig({
      HOST: '::',
      PORT: '0',
      ADMIN_HOST: '0.0.0.0',
      ADMIN_PORT: '9000',
      DATABASE_URL: 'postgres://user@host/db',
      DATA_DIR: '/var/lib/plants',
      DATABASE_POOL_SIZE: '3',
      DATABASE_CONNECT_TIMEOUT_MS: '100',
      DATABASE_ANSWER_TIMEOUT_MS: '200',
      MIGRATE: 'off',
      API_TOKENS: 'one,two',
      API_TOKENS_FILE: '/run/tokens',
      WORKERS: '4',
      BODY_LIMIT: '64',
      LOG_LEVEL: 'silent',
      NODE_ENV: 'production',
    });
    expect(config).toEqual({
      http: { host: '::', port: 0 },
      admin: { host: '0.0.0.0', port: 9000 },
      databaseUrl: 'postgres://user@host/db',
      databaseLimits: { poolSize: 3, connectWithinMs: 100, answerWithinMs: 200 },
      dataDirectory: '/var/lib/plants',
      migrate: 'off',
      tokens: 'one,two',
      tokensFile: '/run/tokens',
      workers: 4,
      bodyLimit: 64,
      logLevel: 'silent',
      production: true,
    });
  });

  test('keeps the embedded store in DATA_DIR', () => {
    expect(readConfig({ DATA_DIR: '/var/lib/plants' }).databaseUrl).toBe('sqlite:/var/lib/plants/plants.db');
  });

  test('switches the operator’s listener off', () => {
    expect(readConfig({ ADMIN_PORT: 'off' }).admin).toBeUndefined();
  });

  test('takes a variable that is set to nothing as not set', () => {
    expect(readConfig({ PORT: '', API_TOKENS_FILE: '' })).toEqual(readConfig({}));
  });

  test.each(['memory:', 'sqlite:x.db', 'sqlite:./~x.db', 'postgres://h/d', 'postgresql://h/d'])('accepts %s', (url) => {
    expect(readConfig({ DATABASE_URL: url }).databaseUrl).toBe(url);
  });

  test('refuses several workers on a store that each of them would have for itself', () => {
    expect(() => readConfig({ WORKERS: '2', DATABASE_URL: 'memory:' })).toThrow('WORKERS: expected 1');
  });

  test.each(['sqlite::memory:', 'sqlite:~/plants.db', 'sqlite:', 'mysql://h/d', 'memory:x'])('refuses %s', (url) => {
    expect(() => readConfig({ DATABASE_URL: url })).toThrow('DATABASE_URL: expected');
  });

  test('lists every variable that is wrong, with what was expected, and repeats no value', () => {
    const read = () =>
      readConfig({
        PORT: '65536',
        ADMIN_PORT: '-1',
        DATABASE_URL: 'mysql://root:secret@host',
        MIGRATE: 'yes',
        BODY_LIMIT: '1e6',
        LOG_LEVEL: 'loud',
      });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(
      [
        'The configuration is wrong:',
        '  PORT: expected a whole number from 0 to 65535',
        '  ADMIN_PORT: expected a whole number from 0 to 65535, or off',
        '  DATABASE_URL: expected postgres://…, sqlite:<path> or memory:',
        '  MIGRATE: expected auto or off',
        '  BODY_LIMIT: expected a whole number from 1 to 1073741824',
        '  LOG_LEVEL: expected one of fatal, error, warn, info, debug, trace, silent',
      ].join('\n'),
    );
  });
});
