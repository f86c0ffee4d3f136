import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '@plant-store/contracts-kit/cli';
import { beforeAll, expect, test } from 'vitest';
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
  const written = { output: '', errors: '' };
  const stdout = { write: (text: string) => (written.output += text) };
  const stderr = { write: (text: string) => (written.errors += text) };
  return { code: await runCommand(verifyStore, args, environment, { stdout, stderr }), ...written };
}

test('shows the verdict of each clause in the order of the contract, and where it works', async () => {
  const { code, output, errors } = await run([...shelf('plants'), '--only', 'PE-1,PR-7,PR-1']);
  expect(output).toMatch(
    /^✓ PR-1 {3}P2 .*\n– PR-7 {3}.* \(not promised\)\n\? PE-1 {3}.* \(not checked: supply export .*\)\n1 passed, 1 not promised, 1 not checked, 0 failed, \d+ left out, in .* s\n$/,
  );
  expect({ code, errors }).toEqual({
    code: 0,
    errors: 'verify-store: works in another shelf, and removes it afterwards\n',
  });
});

test.each([
  ['can store plants', 'plants', 0, /^✓ PLACE /],
  ['does not exist', 'new', 0, /^\? PLACE .*\(not checked: it does not exist, or is not migrated\)\n/],
  ['is unreachable', 'down', 0, /^\? PLACE .*\(not checked: the shelf is down\)\n/],
  ['is unfit', 'full', 1, /^✗ PLACE .*\n.*StoreMisconfigured: the shelf is full\n/],
])('checks the database at DATABASE_URL if it %s', async (_, path, code, output) => {
  const environment = { DATABASE_URL: `shelf://host/${path}` };
  const result = await run(['--adapter', adapter, '--only', 'PLACE'], environment);
  expect(result).toMatchObject({ code, output: expect.stringMatching(output) });
});

test.each([
  ['there is no URL', [], 'pass one URL: --url or DATABASE_URL'],
  [
    'no adapter of the scheme is installed',
    ['--url', 'Ledger://root:sesame@host/x'],
    'cannot load @plant-store/adapters-ledger from',
  ],
  [
    'the module has no harness',
    ['--adapter', './half.mjs', '--url', 'shelf://x'],
    'does not export storageAdapter and',
  ],
  ['the URL is another adapter’s', ['--adapter', adapter, '--url', 'memory:'], 'shelf.ts expects shelf://…'],
])('exits with 2 and a single line if %s', async (_, args, says) => {
  const { code, output, errors } = await run([...args, '--adapters-from', directory]);
  expect({ code, output, lines: errors.split('\n').length }).toEqual({ code: 2, output: '', lines: 2 });
  expect(errors).toContain(says);
  expect(errors).not.toContain('sesame');
});

test('exits with 3 and a single line if no scratch database can be prepared', async () => {
  const { code, output, errors } = await run(shelf('locked'));
  expect({ code, output, lines: errors.split('\n').length }).toEqual({ code: 3, output: '', lines: 2 });
  expect(errors).toContain('verify-store: cannot prepare a scratch database: no key\\u001b');
});
