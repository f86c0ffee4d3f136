import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { listening } from '@plant-store/testing-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { settings } from '../../src/config/index.ts';
import { composedService } from '../composed-service.ts';
import { migrates } from '../migrates.ts';
import { runToEnd, startInProcess } from '../run-in-process.ts';
import { create, plantStore, scratchDirectory, startService, TOKEN } from '../running-service.ts';

describe('plant-store', () => {
  test('--help lists the commands on one screen', async () => {
    const { code, output } = await runToEnd(['--help']);
    expect(code).toBe(0);
    for (const word of ['serve', 'migrate', 'token', 'import', 'export', '--version', 'help environment'])
      expect(output).toContain(word);
    expect(output.split('\n').length).toBeLessThanOrEqual(24);
  });

  test('help environment lists every environment variable', async () => {
    const { code, output } = await runToEnd(['help', 'environment']);
    expect(code).toBe(0);
    for (const name of Object.keys(settings.shape)) expect(output).toMatch(new RegExp(`^  ${name}$`, 'm'));
  });

  test.each([
    ['import', '--rejects'],
    ['', 'Commands:'],
  ])('help %s shows its help', async (topic, text) => {
    const { code, output } = await runToEnd(['help', ...(topic ? [topic] : [])]);
    expect(code).toBe(0);
    expect(output).toContain(text);
  });

  test.each(['--version', '--help'])('%s loads commander and nothing heavier', async (option) => {
    const directory = await scratchDirectory(onTestFinished);
    expect(await plantStore([option], { NODE_V8_COVERAGE: directory }).ended).toBe(0);
    expect(await packagesIn(directory)).toEqual(['commander']);
  });

  test('--version prints the version', async () => {
    expect(await runToEnd(['--version'])).toEqual({ code: 0, output: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });

  test.each([
    ['grow', "unknown command 'grow'; see --help"],
    ['imprt', "unknown command 'imprt' (Did you mean import?); see --help"],
    [
      'help imprt',
      "command-argument value 'imprt' is invalid for argument 'topic'. Allowed choices are serve, migrate, token, import, export, config, environment; see --help",
    ],
    ['serve --port 4000', "unknown option '--port'; see --help"],
    ['serve --api-tokens 1234567890123456', "unknown option '--api-tokens'; see --help"],
    [['serve', "--api-tokens=hunter2's"], "unknown option '--api-tokens'; see --help"],
    ['export -thunter2', "unknown option '-t'; see --help"],
    ['export --ulr x', "unknown option '--ulr' (Did you mean --url?); see --help"],
    ['migrate down', "unknown command 'down'; see --help"],
    ['--colour', "unknown option '--colour'; see --help"],
    ['serve twice', "too many arguments for 'serve'. Expected 0 arguments but got 1; see --help"],
    ['migrate distribute', 'this store cannot be distributed; write citus://… in DATABASE_URL'],
    [
      'migrate distribute --shards 0',
      "option '--shards <number>' argument '0' is invalid. Expected a whole number from 1 to 64000; see --help",
    ],
    ['migrate upp', "unknown command 'upp' (Did you mean up?); see --help"],
    ['import', "missing required argument 'file'; see --help"],
    ['import plants.txt', 'plants.txt: no such file'],
    [['grow\u001b[2J\nplant-store: up'], "unknown command 'grow\\u001b[2J\\u000aplant-store: up'; see --help"],
  ])('%j is a usage error of one line with exit code 2', async (command, message) => {
    const args = typeof command === 'string' ? command.split(' ') : command;
    expect(await runToEnd(args, { DATABASE_URL: 'memory:' })).toEqual({ code: 2, output: `plant-store: ${message}\n` });
  });
});

describe('standard output that cannot be written', () => {
  const commands = [
    ['token', 'new'],
    ['config'],
    ['migrate', 'up'],
    ['help', 'environment'],
    ['export', '--help'],
    ['--version'],
  ];

  test.each(commands)('is one message and exit code 1: %s %s', async (...args) => {
    expect(await runToEnd(args, { DATABASE_URL: 'memory:' }, { failsWith: 'ENOSPC' })).toEqual({
      code: 1,
      output: 'plant-store: cannot write to standard output (ENOSPC)\n',
    });
  });

  test.each(commands)('because its reader has gone is no failure: %s %s', async (...args) => {
    expect(await runToEnd(args, { DATABASE_URL: 'memory:' }, { failsWith: 'EPIPE' })).toEqual({ code: 0, output: '' });
  });

  test('leaves exit codes that say more', async () => {
    const read = Promise.withResolvers<void>();
    const stdin = new Readable({ read: () => read.resolve() });
    const run = startInProcess(
      ['import', '-', '--format', 'csv'],
      { DATABASE_URL: 'memory:' },
      { stdin, failsWith: 'ENOSPC' },
    );
    await read.promise;
    run.kill('SIGINT');
    expect(await run.ended).toBe(3);
    expect(run.output()).toContain('cannot write to standard output (ENOSPC)');
  });

  test('does so in a process of its own', async () => {
    const run = plantStore(['help', 'environment']);
    run.process.stdout?.destroy();
    expect(await run.ended).toBe(0);
    expect(run.output()).toBe('');
  });
});

/** Why a service does not start. */
const failedStart = (environment: Record<string, string>): Promise<string> =>
  composedService(environment).then(
    () => expect.unreachable(),
    (error: Error) => error.message,
  );

const takenPort = (): Promise<number> => listening(createServer(), onTestFinished);

/** The npm packages that a process has loaded, from its coverage. */
async function packagesIn(directory: string): Promise<string[]> {
  const [file = ''] = await readdir(directory);
  const { result } = JSON.parse(await readFile(join(directory, file), 'utf8'));
  const names = result.map(({ url }: { url: string }) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]);
  return [...new Set<string>(names.filter(Boolean))].sort();
}

describe('plant-store token new', () => {
  test('prints a token and an entry that accepts it', async () => {
    const { code, output } = await runToEnd(['token', 'new']);
    expect(code).toBe(0);
    expect(output).toContain('The token is not shown again.');
    const token = /^token: (\S+)$/m.exec(output)?.[1] ?? '';
    const entry = /^entry: (sha256:[0-9a-f]{64})$/m.exec(output)?.[1] ?? '';
    expect(token.length).toBeGreaterThan(40);

    const log: string[] = [];
    const service = await composedService({ API_TOKENS: entry }, log);
    onTestFinished(() => service.stop());
    expect((await create(service.url, { id: 1, name: 'Fern' }, token)).status).toBe(200);
    expect((await create(service.url, { id: 1, name: 'Fern' }, `${token}x`)).status).toBe(401);
    expect(log.join('')).toContain('"status":401');
    expect(log.join('')).not.toContain(token);
  });
});

migrates('sqlite', async () => `sqlite:${join(await scratchDirectory(onTestFinished), 'plants.db')}`);

describe('plant-store serve', () => {
  test('generates a token at the first start, readable only by its owner, prints a curl command with it, and uses it from then on', async () => {
    const DATA_DIR = join(await scratchDirectory(onTestFinished), 'data');
    const start = async () => {
      const run = plantStore([], { DATA_DIR, PORT: '0', ADMIN_PORT: 'off' });
      onTestFinished(() => void run.process.kill('SIGKILL'));
      const [, url = '', token = ''] = await run.printed(/curl -i (\S+)\/plants -H 'Authorization: Bearer (\S+)'/);
      return { run, url, token };
    };

    const first = await start();
    expect((await create(first.url, { id: 7, name: 'Fern' }, first.token)).status).toBe(200);
    expect((await stat(join(DATA_DIR, 'token'))).mode & 0o777).toBe(0o600);
    expect((await stat(DATA_DIR)).mode & 0o777).toBe(0o700);
    expect((await readFile(join(DATA_DIR, 'token'), 'utf8')).trim()).toBe(first.token);
    first.run.process.kill('SIGTERM');
    expect(await first.run.ended).toBe(0);

    const second = await start();
    expect(second.token).toBe(first.token);
    expect((await create(second.url, { id: 7, name: 'Moss' }, second.token)).status).toBe(400);
  });

  test('runs on when its greeting cannot be written', async () => {
    const run = plantStore(['serve'], { PORT: '0', ADMIN_PORT: 'off', DATABASE_URL: 'memory:', API_TOKENS: TOKEN });
    onTestFinished(() => void run.process.kill('SIGKILL'));
    run.process.stderr?.destroy();
    const [, url = ''] = await run.printed(/"listening on ([^"]+)"/);
    expect((await create(url, { id: 1, name: 'Fern' })).status).toBe(200);
    run.process.kill('SIGTERM');
    expect(await run.ended).toBe(0);
  });

  test('does not start in production without tokens', async () => {
    const { code, output } = await runToEnd([], { NODE_ENV: 'production', DATABASE_URL: 'memory:', API_TOKENS: '' });
    expect({ code, output }).toEqual({ code: 2, output: expect.stringContaining('API_TOKENS') });
    for (const API_TOKENS of [',', ' , ']) expect(await failedStart({ API_TOKENS })).toContain('API_TOKENS');
  });

  test('says what to do about an empty token file', async () => {
    const DATA_DIR = await scratchDirectory(onTestFinished);
    await writeFile(join(DATA_DIR, 'token'), '');
    const { code, output } = await runToEnd([], { DATA_DIR, DATABASE_URL: 'memory:' });
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('is empty: delete it') });
  });

  test('listens on one address if its host has several', async () => {
    const log: string[] = [];
    const service = await composedService({ HOST: 'localhost' }, log);
    onTestFinished(() => service.stop());
    expect(service.url).toMatch(/^http:\/\/(127\.0\.0\.1|\[::1\]):\d+$/);
    expect((await create(service.url, { id: 1, name: 'Fern' })).status).toBe(200);
    expect(log.join('').match(/"listening on/g)).toHaveLength(1);
  });

  test('in production, prints no token and no greeting, and makes a data directory that only its owner may enter', async () => {
    const DATA_DIR = join(await scratchDirectory(onTestFinished), 'new/data');
    const service = await startService({ NODE_ENV: 'production', DATA_DIR });
    onTestFinished(() => void service.process.kill('SIGKILL'));
    expect((await create(service.url, { id: 1, name: 'Fern' })).status).toBe(200);
    expect(service.output()).not.toMatch(/curl|token-of-the-tests/);
    for (const made of [DATA_DIR, dirname(DATA_DIR)]) expect((await stat(made)).mode & 0o777).toBe(0o700);
  });

  test('lists what is wrong with the configuration, without a stack', async () => {
    const { code, output } = await runToEnd(['serve'], { PORT: 'x', LOG_LEVEL: 'loud' });
    expect({ code, output }).toEqual({ code: 2, output: expect.stringMatching(/PORT: .*\n {2}LOG_LEVEL: /) });
    expect(output).not.toContain('    at ');
  });

  test.each(['PORT', 'ADMIN_PORT'])('says what to do about a port that is in use: %s', async (setting) => {
    const port = await takenPort();
    expect(await failedStart({ [setting]: String(port) })).toBe(
      `port ${port} is in use on 127.0.0.1: stop what listens there, or set ${setting} to another (0 picks a free one)`,
    );
  });

  test('says which address this machine does not have', async () => {
    // Documentation's own (RFC 5737): no machine has it.
    expect(await failedStart({ HOST: '192.0.2.1' })).toBe(
      '192.0.2.1 is not an address of this machine: set HOST to one that is',
    );
  });

  test.each([
    'postgres://user:sesame@127.0.0.1:1/plants',
    'mysql://user:sesame@127.0.0.1:1/plants',
    // A container that has not started has no address. With an empty label, it is unknown without a name server, too.
    'postgres://user:sesame@nowhere..invalid/plants?sslmode=disable',
  ])('waits for its store, is not ready, and shows neither a stack nor a password: %s', async (DATABASE_URL) => {
    const log: string[] = [];
    const closing = new AbortController();
    const starting = composedService({ DATABASE_URL, ADMIN_PORT: '0' }, log, closing.signal);
    await expect.poll(() => log.join(''), { timeout: 20_000 }).toMatch(/not ready: .*tries again every second/);
    const [, adminUrl] = /admin listener on ([^"]+)/.exec(log.join('')) ?? [];
    const ready = await fetch(`${adminUrl}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.text()).not.toContain('sesame');
    expect(log.join('')).not.toMatch(/ {4}at |sesame/);
    closing.abort();
    await expect(starting).rejects.toThrow('aborted');
  });

  test('does not wait for a file that cannot be a store', async () => {
    expect(await failedStart({ DATABASE_URL: 'sqlite:/proc/plants.db' })).not.toMatch(/ {4}at |automatically/);
  });
});

test.each(['serve', 'config', 'migrate status', 'export', 'import /dev/null'])(
  'a wrong setting is exit code 2: %s',
  async (command) => {
    const environment = { DATABASE_URL: 'memory:', DATABASE_URL_FILE: '/dev/null' };
    expect(await runToEnd(command.split(' '), environment)).toEqual({
      code: 2,
      output: expect.stringMatching(/^ {2}DATABASE_URL_FILE: DATABASE_URL is set, too; set one of them$/m),
    });
  },
);

describe('a database URL with a misspelt TLS parameter is refused in one line, before anything is sent', () => {
  const fault = /parameter 1 of 1 is unknown: expected .*\bsslmode,/;
  const file = join(import.meta.dirname, 'nothing.ndjson');
  test.each([
    [['serve'], 2],
    [['migrate', 'status'], 2],
    [['import', file, '--url', 'URL'], 2],
    [['export', '--url', 'URL'], 2],
  ])('%j', async (args, code) => {
    const DATABASE_URL = 'postgres://me:sesame@db.example/plants?sslMode=verify-full';
    const run = await runToEnd(
      args.map((arg) => (arg === 'URL' ? DATABASE_URL : arg)),
      { API_TOKENS: TOKEN, ...(args.includes('URL') ? {} : { DATABASE_URL }) },
    );
    expect(run).toEqual({ code, output: expect.stringMatching(fault) });
    expect(run.output).toMatch(/^plant-store: .*\n?.*\n$/);
    expect(run.output).not.toContain('sesame');
  });
});

test('in production a store is not reached in plaintext, whatever names it', async () => {
  const url = 'postgres://me:sesame@db.example/plants';
  for (const args of [
    ['import', 'nothing', '--url', url],
    ['export', '--url', url],
  ]) {
    // --url takes the place of whatever the environment names.
    expect(await runToEnd(args, { NODE_ENV: 'production', DATABASE_URL_FILE: '/nowhere' })).toEqual({
      code: 2,
      output: expect.stringContaining('DATABASE_URL: the connection is not encrypted'),
    });
    // Nor in what is almost production.
    expect(await runToEnd(args, { NODE_ENV: 'Production' })).toEqual({
      code: 2,
      output: expect.stringContaining('NODE_ENV: expected production, in exactly these letters'),
    });
  }
});
