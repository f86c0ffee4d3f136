import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import timers from 'node:timers/promises';
import { runCommand } from '@plant-store/contracts-kit/cli';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { verifyStore } from '../src/cli/verify-store.ts';

const adapter = join(import.meta.dirname, 'programs/shelf.ts');
const shelf = (path: string) => ['--adapter', adapter, '--url', `shelf://me:sesame@host/${path}`];

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plant-store-verify-store-'));
  await writeFile(join(directory, 'half.mjs'), 'export const storageAdapter = {};');
  return () => rm(directory, { recursive: true });
});

async function run(args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  let output = '';
  let errors = '';
  const host = {
    stdout: { write: (text: string) => (output += text) },
    stderr: { write: (text: string) => (errors += text) },
  };
  return { code: await runCommand(verifyStore, args, environment, host), output, errors };
}

test('shows the verdict of each clause in the order of the contract, and where it works', async () => {
  const junit = join(directory, 'report.xml');
  const { code, output, errors } = await run([...shelf('plants?tls=on'), '--only', 'PE-1,PR-7,PR-1', '--junit', junit]);
  expect(code).toBe(0);
  expect(output).toMatch(
    /^✓ PR-1 {3}.*\n– PR-7 {3}.* \(not promised\)\n\? PE-1 {3}.* \(not checked: .*\)\n1 passed, 1 not promised, 1 not checked, 0 failed, in .* s \(revision \d{4}-\d\d\)\n$/,
  );
  expect(errors).toBe('verify-store: works in another shelf, and removes it afterwards\n');
  expect(await readFile(junit, 'utf8')).toContain('<property name="subject" value="shelf://host/plants"/>');
});

const inPlaintext = /^.*is not encrypted.*: add tls=on\n/;
const settings = { STORAGE_ADAPTER: adapter, DATABASE_URL: 'shelf://host/plants?tls=on' };

test.each([
  ['can store plants', shelf('plants?tls=on'), {}, 0, /^✓ PLACE /, /^.*works in/],
  ['is in the settings of a service', [], settings, 0, /^✓ PLACE /, /^.*works in/],
  ['has a plaintext connection', shelf('plants'), {}, 0, /^✓ PLACE /, inPlaintext],
  [
    'does not exist',
    shelf('new?tls=on'),
    {},
    0,
    /^\? PLACE .*\(not checked: it does not exist, or is not migrated\)\n/,
    /./,
  ],
  ['is unreachable', shelf('down?tls=on'), {}, 0, /^\? PLACE .*\(not checked: the shelf is down\)\n/, /./],
  ['is unsuitable', shelf('full?tls=on'), {}, 1, /^✗ PLACE .*\n.*StoreMisconfigured: the shelf is full\n/, /./],
])('checks the database at the URL if it %s', async (_, args, environment, code, output, errors) => {
  const result = await run([...args, '--only', 'PLACE'], environment);
  expect(result).toEqual({ code, output: expect.stringMatching(output), errors: expect.stringMatching(errors) });
});

test.each([
  ['there is no URL', [], 'pass one URL: --url or DATABASE_URL'],
  ['there are two URLs', ['--url', 'shelf://1\nshelf://2'], 'pass one URL'],
  [
    'no adapter of the scheme is installed',
    ['--url', 'Ledger://root:sesame@host/x'],
    /no adapter of ledger: is installed in .*: run npm install @plant-store\/adapters-ledger .*, or pass one with --adapter$/,
  ],
  ['no adapter of an alias is installed', ['--url', 'mariadb://h/x'], 'npm install @plant-store/adapters-mysql '],
  ['there is no such module', ['--adapter', './none.js', '--url', 'shelf://x'], /^cannot load \.\/none\.js \(/],
  [
    'the module has no harness',
    ['--adapter', 'half.mjs', '--url', 'shelf://x'],
    'does not export storageAdapter and storeHarness',
  ],
  ['the URL is another adapter’s', ['--adapter', adapter, '--url', 'memory:'], /shelf\.ts expects shelf:\/\/…$/],
  ['the URL has a fault', shelf('x?tls=maybe'), '--url or DATABASE_URL: tls: expected on or off'],
  ['the known failures are not there', [...shelf('wild?tls=on'), '--known-failures', '/none'], '/none: ENOENT'],
  ['there is no such revision', [...shelf('x?tls=on'), '--revision', '2025-01'], 'has no revision 2025-01'],
])('exits with 2 and a single line if %s', async (_, args, says) => {
  const inDirectory = args.map((name) => (name === 'half.mjs' ? join(directory, name) : name));
  const { code, output, errors } = await run([...inDirectory, '--adapters-from', directory]);
  expect({ code, output, lines: errors.split('\n').length }).toEqual({ code: 2, output: '', lines: 2 });
  const message = errors.replace(/^verify-store: |\n$/g, '');
  expect(message).toEqual(typeof says === 'string' ? expect.stringContaining(says) : expect.stringMatching(says));
  expect(message).not.toContain('sesame');
});

test.each([
  ['there is no harness', 'wild', 'cannot make the harness of the store: nobody tends it'],
  ['no scratch database can be prepared', 'locked', 'cannot prepare a scratch database: no key\\u001b'],
  [
    'no store can be opened',
    'jammed',
    'cannot open a store on a scratch database: threw StoreUnavailable: it is jammed',
  ],
  ['no plant can be added', 'broken', 'cannot add a plant to a scratch database: the database did not answer'],
  ['scratch databases are one', 'single', 'a scratch database is not empty, because id 1 is taken: let prepare() make'],
])('exits with 3 and a single line if %s', async (_, path, says) => {
  const { code, output, errors } = await run(shelf(`${path}?tls=on`));
  expect({ code, output }).toEqual({ code: 3, output: '' });
  expect(errors).toMatch(/^verify-store: [^\n]+\n$/);
  expect(errors).toContain(says);
});

test('exits with 3 if the preparation of a scratch database never ends', async () => {
  const sleep = vi.spyOn(timers, 'setTimeout').mockResolvedValue(undefined);
  syncBuiltinESMExports();
  onTestFinished(() => {
    sleep.mockRestore();
    syncBuiltinESMExports();
  });
  const errors = 'verify-store: cannot prepare a scratch database: no result after 180000 ms\n';
  expect(await run(shelf('endless?tls=on'))).toEqual({ code: 3, output: '', errors });
});

test.each([
  [shelf('plants'), {}, `DATABASE_URL=… npx @plant-store/contracts-stores@{version} --adapter ${adapter}`],
  [
    ['--url', 'shelf://host/plants'],
    { STORAGE_ADAPTER: adapter },
    `npx @plant-store/contracts-stores@{version} --url shelf://host/plants --adapter ${adapter}`,
  ],
])('the command in the report of %j repeats the run, without secrets', async (args, environment, command) => {
  const { output } = await run([...args, '--adapters-from', directory, '--only', 'PR-1', '--json'], environment);
  const report = JSON.parse(output);
  expect(report).toMatchObject({
    suite: { name: '@plant-store/contracts-stores' },
    subject: 'shelf://host/plants',
    command: `${command.replace('{version}', report.suite.version)} --only PR-1`,
  });
  expect(output).not.toContain('sesame');
});
