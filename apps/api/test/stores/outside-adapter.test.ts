import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { ConfigError, loadStorageAdapter, readConfig } from '../../src/index.ts';
import { openStore } from '../../src/stores/index.ts';
import { runToEnd } from '../run-in-process.ts';
import { create, scratchDirectory, startService } from '../running-service.ts';

/** What a team exports: a store in memory, with a migration and with members that a test replaces. */
const shelf = (members = '') => `
  const plants = new Map();
  const add = async ({ id, ...plant }) =>
    plants.has(id) ? { outcome: 'exists', plant: plants.get(id) } : (plants.set(id, plant), { outcome: 'added' });
  const store = { plants: { add }, check: async () => {}, close: async () => {} };
  const migrations = async () => [{ name: '001_shelf', applied: true }];
  const capabilities = { durable: false, survivesCrash: false, survivesServerCrash: false, shared: false, external: false, observed: false, timeoutMs: 100 };
  export const storeHarness = async () => ({
    capabilities,
    prepare: async () => ({ open: async () => store, dispose: async () => {} }),
  });
  export const storageAdapter = {
    form: 'shelf:<name>',
    urls: /^shelf:./,
    scratchPlace: 'another shelf',
    at: () => ({ open: async () => store, migrate: migrations, status: migrations }),
    ${members}
  };`;

let directory: string;
beforeEach(async () => {
  directory = await scratchDirectory(onTestFinished);
  vi.spyOn(process, 'cwd').mockReturnValue(directory);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await loadStorageAdapter(undefined);
});

test.each([
  ['a file of the working directory', './shelf.mjs', 'shelf.mjs'],
  ['a package that is installed there', '@acme/shelf', 'node_modules/@acme/shelf/main.mjs'],
])('a storage adapter from outside is %s, and is used as one of our own', async (_, STORAGE_ADAPTER, path) => {
  await written(path, shelf());
  const exports = { '.': { import: './main.mjs' } };
  await written('node_modules/@acme/shelf/package.json', JSON.stringify({ name: '@acme/shelf', exports }));
  const environment = { STORAGE_ADAPTER, DATABASE_URL: 'shelf:1', DATA_DIR: directory };

  expect(await runToEnd(['migrate', 'up'], environment)).toEqual({ code: 0, output: 'applied  001_shelf\n' });
  const config = await runToEnd(['config'], environment);
  expect(config.output).toMatch(/^ {2}DATABASE_URL +environment +shelf:1$/m);
  expect((await runToEnd(['verify-store', '--only', 'PR-1,PR-5'], environment)).output).toMatch(/2 passed/);
  const forms = 'postgres://…, citus://…, mysql://…, sqlite:<path>, memory: or shelf:<name>';
  for (const args of [
    ['help', 'environment'],
    ['import', '--help'],
    ['verify-store', '--help'],
  ])
    expect((await runToEnd(args, environment)).output.replaceAll(/\s+/g, ' ')).toContain(forms);
  expect((await runToEnd(['verify-store', '--help'], environment)).output).toMatch(/shelf:<name> +another shelf/);
  expect(await runToEnd(['export'], environment)).toMatchObject({ code: 2 });

  const file = join(directory, 'plants.ndjson');
  await writeFile(file, '{"id":7,"name":"Fern"}\n');
  expect(await runToEnd(['import', file], environment)).toMatchObject({ code: 0 });
  await using store = await openedStore(environment);
  expect(await store.plants.add({ id: 7n, name: 'Moss' })).toEqual({ outcome: 'exists', plant: { name: 'Fern' } });

  // Without the setting, nothing of it is left.
  const without = await runToEnd(['config'], { DATABASE_URL: 'shelf:1' });
  expect(without).toMatchObject({ code: 2, output: expect.not.stringContaining('shelf:<name>') });
});

test.each([
  ['is not there', './none.mjs', '', "Cannot find module '"],
  ['is not installed', '@acme/none', '', "Cannot find package '@acme/none' imported from "],
  ['exports something else', './shelf.mjs', 'export const engine = {};', 'it does not export storageAdapter'],
  ['fails as it is loaded', './shelf.mjs', "throw new Error('no licence\\nat all')", 'no licence'],
  [
    'has half of a store',
    './shelf.mjs',
    shelf('at: () => ({ open() {}, status() {} })'),
    'its at() returns a store without migrate',
  ],
  [
    'has a harness that is none',
    './shelf.mjs',
    shelf().replace('storeHarness = async () =>', 'storeHarness ='),
    'its storeHarness is no function',
  ],
  [
    'lacks members',
    './shelf.mjs',
    'export const storageAdapter = { form: 7, urls: /x/ };',
    'its storageAdapter is no StorageAdapter: form, scratchPlace, at is missing or wrong',
  ],
  [
    'has a pattern with a memory',
    './shelf.mjs',
    shelf('urls: /^shelf:/g'),
    'its storageAdapter is no StorageAdapter: urls is missing or wrong',
  ],
  [
    'has half of what TLS needs',
    './shelf.mjs',
    shelf("tls: { verified: 'tls' }"),
    'its storageAdapter is no StorageAdapter: tls is missing or wrong',
  ],
  [
    'does not match its own form',
    './shelf.mjs',
    shelf('urls: /^shelves:/'),
    'its urls do not match its own form, shelf:<name>',
  ],
  [
    'has the form of a built-in store',
    './shelf.mjs',
    shelf("form: 'mariadb://…', urls: /^mariadb:/"),
    'its URLs, mariadb://…, are those of a store that is built in: mysql://…',
  ],
  [
    'matches URLs of a built-in store',
    './shelf.mjs',
    shelf('urls: /^(shelf|sqlite):/'),
    'its URLs, shelf:<name>, are those of a store that is built in: sqlite:<path>',
  ],
  [
    'matches the address of a service',
    './shelf.mjs',
    shelf('urls: /^(shelf|http):/'),
    'its URLs, shelf:<name>, would be those of a running service',
  ],
])(
  'a storage adapter that %s is a fault of the configuration, in one line',
  async (_, STORAGE_ADAPTER, text, fault) => {
    if (text) await written('shelf.mjs', text);
    const line = `STORAGE_ADAPTER: cannot use ${STORAGE_ADAPTER}: ${fault}`;
    const { code, output } = await runToEnd(['config'], { STORAGE_ADAPTER });
    expect({ code, output }).toEqual({ code: 2, output: expect.stringMatching(/^[^\n]+\n {2}[^\n]+\n$/) });
    expect(output.startsWith(`plant-store: Invalid configuration:\n  ${line}`)).toBe(true);
  },
);

test('whatever looks for the URLs of a storage adapter that cannot be used says so, and what needs no store runs', async () => {
  const environment = { STORAGE_ADAPTER: './none.mjs' };
  for (const command of ['serve', 'import - --url shelf:1', 'export --url shelf:1', 'verify-store --url shelf:1'])
    expect(await runToEnd(command.split(' '), environment)).toEqual({
      code: 2,
      output: expect.stringContaining('STORAGE_ADAPTER: cannot use ./none.mjs: Cannot find module'),
    });
  expect(await runToEnd(['--version'], environment)).toMatchObject({ code: 0 });
});

test('a storage adapter without a harness serves, and verify-store says what it lacks', async () => {
  await written('shelf.mjs', shelf().replace('storeHarness', 'noHarness'));
  const environment = { STORAGE_ADAPTER: './shelf.mjs', DATABASE_URL: 'shelf:1' };
  expect(await runToEnd(['migrate', 'up'], environment)).toMatchObject({ code: 0 });
  expect(await runToEnd(['verify-store'], environment)).toEqual({
    code: 2,
    output: 'plant-store: ./shelf.mjs exports no storeHarness, so there is nothing to check shelf:<name> with\n',
  });
});

test('a service runs on the storage adapter', async () => {
  await written('shelf.mjs', shelf());
  const STORAGE_ADAPTER = join(directory, 'shelf.mjs');
  const service = await startService({
    STORAGE_ADAPTER,
    DATABASE_URL: 'shelf:1',
    SHUTDOWN_DELAY_MS: '0',
  });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  expect((await create(service.url, { id: 7, name: 'Fern' })).status).toBe(200);
  service.process.kill('SIGTERM');
  expect(await service.ended).toBe(0);
});

test('who reads a configuration and has not loaded its storage adapter, but another, is told', async () => {
  await written('shelf.mjs', shelf());
  await loadStorageAdapter('./shelf.mjs');
  expect(() => readConfig({ STORAGE_ADAPTER: '@acme/shelf' })).toThrow(
    new ConfigError('Invalid configuration:\n  STORAGE_ADAPTER: @acme/shelf has not been loaded'),
  );
});

async function openedStore(environment: Record<string, string>) {
  const store = await openStore(readConfig(environment), { onError: () => {} });
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() });
}

async function written(path: string, text: string): Promise<void> {
  await mkdir(join(directory, path, '..'), { recursive: true });
  await writeFile(join(directory, path), text);
}
