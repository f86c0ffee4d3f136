import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { listening as portOf } from '@plant-store/testing';
import { expect, onTestFinished, test } from 'vitest';
import { settings } from '../../src/config/index.ts';
import { composedService } from '../composed-service.ts';
import { runToEnd } from '../run-in-process.ts';
import { create, scratchDirectory } from '../running-service.ts';

test.each([
  ['--help', ...['serve', 'migrate', 'token', 'import', 'export', 'help environment'].map((name) => ` ${name}`)],
  ['help import', '--rejects'],
  ['help environment', ...Object.keys(settings.shape).map((name) => `  ${name}\n`)],
  ['--version', '.'],
])('plant-store %s shows what is asked for', async (command, ...texts) => {
  const { code, output } = await runToEnd(command.split(' '));
  expect([code, texts.filter((text) => !output.includes(text))]).toEqual([0, []]);
});

test.each([
  ['imprt', "unknown command 'imprt' (Did you mean import?)"],
  ['serve --api-tokens=1234567890123456', "unknown option '--api-tokens'"],
  ['migrate down', "unknown command 'down'"],
  ['serve hunter2', "too many arguments for 'serve'. Expected 0 arguments but got 1"],
  ['migrate distribute', undefined],
  [
    'migrate distribute --shards 0',
    "option '--shards <number>' argument '0' is invalid. Expected a whole number from 1 to 64000",
  ],
  ['export --url memory: --url-file x', "option '--url-file <path>' cannot be used with option '--url <url>'"],
  ['grow\u001b[2J\nplant-store:\u00a0up', "unknown command 'grow\\u001b[2J\\u000aplant-store:\u00a0up'"],
])('%j is a usage error of one line with exit code 2, and repeats no secret', async (command, fault) => {
  const message = fault
    ? `${fault}; see --help`
    : 'this store has no command distribute; write citus://… in DATABASE_URL';
  const output = `plant-store: ${message}\n`;
  expect(await runToEnd(command.split(' '), { DATABASE_URL: 'memory:' })).toEqual({ code: 2, output });
});

test.each([
  ['config', 'ENOSPC', 1, 'plant-store: cannot write to standard output (ENOSPC)\n'],
  ['export --help', 'EPIPE', 0, ''],
])(
  'standard output that cannot be written is one message, unless its reader has gone: %s, %s',
  async (command, failsWith, code, output) => {
    expect(await runToEnd(command.split(' '), { DATABASE_URL: 'memory:' }, { failsWith })).toEqual({ code, output });
  },
);

test('token new prints a token and an entry that accepts it', async () => {
  const { output } = await runToEnd(['token', 'new']);
  expect(output).toContain('The token is not shown again.');
  const token = /^token: (\S{41,})$/m.exec(output)?.[1] ?? '';
  const entry = /^entry: (sha256:[0-9a-f]{64})$/m.exec(output)?.[1] ?? '';
  const service = await composedService({ API_TOKENS: entry });
  onTestFinished(() => service.stop());
  expect((await create(service.url, { id: 1, name: 'Fern' }, token)).status).toBe(200);
  expect((await create(service.url, { id: 1, name: 'Fern' }, `${token}x`)).status).toBe(401);
});

test('migrate status says what is missing, up applies it, and a service with MIGRATE=off starts only then', async () => {
  const DATABASE_URL = `sqlite:${join(await scratchDirectory(onTestFinished), 'plants.db')}`;
  const run = (command: string) => runToEnd(['migrate', command], { DATABASE_URL });
  const serve = () => composedService({ DATABASE_URL, MIGRATE: 'off' });
  await expect(serve()).rejects.toThrow('plant-store migrate up');
  expect(await run('status')).toEqual({ code: 1, output: expect.stringMatching(/^missing {2}\S+/m) });
  expect(await run('up')).toEqual({ code: 0, output: expect.stringMatching(/^applied {2}\S+/m) });
  expect(await run('status')).toEqual({ code: 0, output: expect.not.stringContaining('missing') });
  await (await serve()).stop();
});

test('commands take the URL of a store from a file, which has exactly one', async () => {
  const directory = await scratchDirectory(onTestFinished);
  const path = (name: string) => join(directory, name);
  await writeFile(path('url'), ` sqlite:${path('plants.db')}\n`);
  await writeFile(path('two'), 'sqlite:plants.db\r\npostgres://user:hunter2@host/db\n');
  expect((await runToEnd(['migrate', 'up'], { DATABASE_URL_FILE: path('url') })).code).toBe(0);
  const exported = { code: 0, output: 'plants written: 0\n' };
  expect(await runToEnd(['export', '--url-file', path('url')])).toEqual(exported);
  const output = `plant-store: --url-file: ${path('two')} has several lines; write one URL\n`;
  expect(await runToEnd(['export', '--url-file', path('two')])).toEqual({ code: 2, output });
});

const misspelt = 'postgres://me:sesame@db.example/plants?sslMode=verify-full';
const plaintext = 'postgres://me:sesame@db.example/plants';

test.each<[command: string, environment: Record<string, string>, fault: RegExp]>([
  ['serve', { PORT: 'x', LOG_LEVEL: 'loud' }, /PORT: .*\n {2}LOG_LEVEL: /],
  ['serve', { NODE_ENV: 'production' }, /API_TOKENS: no tokens are configured/],
  ['serve', { DATABASE_URL: misspelt }, /parameter 1 of 1 is unknown: expected .*\bsslmode,/],
  ['config', { NODE_ENV: 'production' }, /API_TOKENS: no tokens are configured/],
  ['config', { DATABASE_URL_FILE: '/dev/null' }, /DATABASE_URL_FILE: \/dev\/null is empty/],
  [
    'config',
    { API_TOKENS_FILE: '/dev/null' },
    /^plant-store: API_TOKENS_FILE: \/dev\/null: it is not a regular file; /,
  ],
  ['migrate status', { DATABASE_URL: misspelt }, /parameter 1 of 1 is unknown/],
  [`export --url ${misspelt}`, {}, /parameter 1 of 1 is unknown/],
  // --url takes the place of whatever the environment names, in production too.
  [`import nothing --url ${plaintext}`, { NODE_ENV: 'production', DATABASE_URL_FILE: '/no' }, /is not encrypted/],
])(
  'a wrong setting is exit code 2 before anything is sent, and shows no secret: %s %j',
  async (command, environment, fault) => {
    const { code, output } = await runToEnd(command.split(' '), environment);
    expect({ code, output }).toEqual({ code: 2, output: expect.stringMatching(fault) });
    expect(output).not.toMatch(/sesame|^ {4}at /m);
  },
);

test.each([
  ['PORT', '', 'set PORT to another (0 picks a free one)'],
  ['ADMIN_PORT', '', 'set ADMIN_PORT to another (0 picks a free one)'],
  ['HOST', '192.0.2.1', '192.0.2.1 is not an address of this machine: set HOST to one that is'],
  ['ADMIN_HOST', '192.0.2.1', '192.0.2.1 is not an address of this machine: set ADMIN_HOST to one that is'],
])('a service that cannot listen says what to do: %s', async (setting, value, message) => {
  const used = await portOf(createServer(), onTestFinished);
  const starting = composedService({ ADMIN_PORT: '0', [setting]: value || `${used}` });
  await expect(starting).rejects.toThrow(message);
});
