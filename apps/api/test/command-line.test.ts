import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { listening as portOf } from '@plant-store/testing';
import { expect, onTestFinished, test } from 'vitest';
import { settings } from '../src/settings.ts';
import { composedService } from './composed-service.ts';
import { runHere } from './run-here.ts';
import { create, scratchDirectory } from './running-service.ts';

test.each([
  ['--help', ...['serve', 'migrate', 'token', 'import', 'export', 'help environment'].map((name) => ` ${name}`)],
  ['help import', '--url-file'],
  ['help environment', ...Object.keys(settings.shape).map((name) => `  ${name}\n`)],
  ['--version', '.'],
])('plant-store %s shows what is asked for', async (command, ...texts) => {
  const { code, output } = await runHere(command);
  expect([code, texts.filter((text) => !output.includes(text))]).toEqual([0, []]);
});

test.each([
  ['imprt', "unknown command 'imprt' (Did you mean import?); see --help"],
  ['serve --api-tokens=1234567890123456', "unknown option '--api-tokens'; see --help"],
  ['serve hunter2', "too many arguments for 'serve'. Expected 0 arguments but got 1; see --help"],
  ['migrate distribute', 'this store has no command distribute; write citus://… in DATABASE_URL'],
  ['export', '--url or DATABASE_URL: no other process can read this store'],
  [
    'import /dev/null/in --url sqlite:x',
    '/dev/null/in cannot be read (ENOTDIR): pass the path of a file, or - for standard input',
  ],
])('%j is a usage error of one line with exit code 2, and repeats no secret', async (command, fault) => {
  const run = await runHere(command, { DATABASE_URL: 'memory:' });
  expect(run).toEqual({ code: 2, output: `plant-store: ${fault}\n` });
});

test('token new prints a token and an entry that accepts it', async () => {
  const { output } = await runHere('token new');
  const token = /^token: (\S{41,})$/m.exec(output)?.[1] ?? '';
  const entry = /^entry: (sha256:[0-9a-f]{64})$/m.exec(output)?.[1] ?? '';
  const service = await composedService({ API_TOKENS: entry });
  onTestFinished(() => service.stop());
  expect((await create(service.url, { id: 1, name: 'Fern' }, token)).status).toBe(200);
  expect((await create(service.url, { id: 1, name: 'Fern' }, `${token}x`)).status).toBe(401);
});

test('migrate status says what is missing, up applies it, and a service with MIGRATE=off starts only then', async () => {
  const DATABASE_URL = `sqlite:${join(await scratchDirectory(onTestFinished), 'plants.db')}`;
  const run = (command: string) => runHere(`migrate ${command}`, { DATABASE_URL });
  const serve = () => composedService({ DATABASE_URL, MIGRATE: 'off' });
  await expect(serve()).rejects.toThrow(/^MIGRATE: .*plant-store migrate up/);
  expect(await run('status')).toEqual({ code: 1, output: expect.stringMatching(/^missing {2}\S+/m) });
  expect(await run('up')).toEqual({ code: 0, output: expect.stringMatching(/^applied {2}\S+/m) });
  expect(await run('status')).toEqual({ code: 0, output: expect.not.stringContaining('missing') });
  await (await serve()).stop();
});

const misspelt = 'postgres://me:sesame@db.example/plants?sslMode=verify-full';

test.each<[command: string, environment: Record<string, string>, fault: RegExp]>([
  ['serve', { PORT: 'x', LOG_LEVEL: 'loud' }, /PORT: .*\n {2}LOG_LEVEL: /],
  ['serve', { NODE_ENV: 'production' }, /API_TOKENS: no tokens are configured/],
  ['serve', { DATABASE_URL: misspelt }, /DATABASE_URL: .*\bsslMode\b|DATABASE_URL: .*unknown/i],
  [
    'config',
    { API_TOKENS_FILE: '/dev/null' },
    /^plant-store: API_TOKENS_FILE: \/dev\/null: it is not a regular file; /,
  ],
  ['migrate status', { DATABASE_URL: misspelt }, /DATABASE_URL: /],
])(
  'P8/F11 a wrong setting is named, with exit code 2 and no stack trace, and shows no secret: %s %j',
  async (command, environment, fault) => {
    const { code, output } = await runHere(command, environment);
    expect({ code, output }).toEqual({ code: 2, output: expect.stringMatching(fault) });
    expect(output).not.toMatch(/sesame|^ {4}at /m);
  },
);

const unusable = 'sqlite:/dev/null/plants.db';

test.each([
  ['migrate up', { DATABASE_URL: unusable }, 'DATABASE_URL'],
  ['migrate up', { DATABASE_URL_FILE: 'FILE' }, 'DATABASE_URL_FILE'],
  ['migrate up', { DATA_DIR: '/dev/null' }, 'DATA_DIR'],
  [`import FILE --url ${unusable}`, { DATABASE_URL_FILE: 'FILE' }, '--url'],
  ['import FILE --url-file FILE', { DATABASE_URL: 'memory:' }, '--url-file'],
])('P8/F11 a store that cannot be used is blamed on what names it: %s %j', async (command, environment, name) => {
  const file = join(await scratchDirectory(onTestFinished), 'url');
  await writeFile(file, unusable);
  const given = Object.entries(environment).map(([setting, value]) => [setting, value.replace('FILE', file)]);
  const { code, output } = await runHere(command.replaceAll('FILE', file), Object.fromEntries(given));
  expect({ code, output }).toEqual({ code: 2, output: expect.stringMatching(`^plant-store: ${name}: `) });
});

test.each([
  ['PORT', ''],
  ['ADMIN_PORT', ''],
  ['HOST', '192.0.2.1'],
])('P8/F11 a service that cannot listen names the setting: %s', async (setting, value) => {
  const used = await portOf(createServer(), onTestFinished);
  const starting = composedService({ ADMIN_PORT: '0', [setting]: value || `${used}` });
  await expect(starting).rejects.toThrow(new RegExp(`^(ADMIN_)?PORT: cannot listen on .*${value || used}.*: set it`));
});
