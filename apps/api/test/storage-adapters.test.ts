import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { describeUrls, findAdapter, settableLimits, storageAdapters } from '../src/stores.ts';
import { composedService } from './composed-service.ts';
import { runHere } from './run-here.ts';
import { create, runToEnd, scratchDirectory } from './running-service.ts';

/** What a team exports: a store in memory, which outlives the service, and has a migration. */
const shelf = `
  import { PlantRefused, StoreUnavailable } from '@plant-store/domain';
  const plants = new Map();
  const add = async ({ id, ...plant }) => {
    if (plant.name === 'Nettle') throw new StoreUnavailable('the shelf is full');
    if (plant.name === 'Ivy') throw new PlantRefused('it would grow over the shelf');
    return plants.has(id) ? { outcome: 'exists', plant: plants.get(id) } : (plants.set(id, plant), { outcome: 'added' });
  };
  const store = { plants: { add }, check: async () => {}, close: async () => {} };
  const migrations = async () => [{ name: '001_shelf', applied: true }];
  let opened = 0;
  const unreachable = async () => { throw new StoreUnavailable('the shelf is out of reach'); };
  export const storageAdapter = {
    form: 'shelf:<name>',
    urls: /^shelf:./,
    at: (url) => ({
      open: async () => (url === 'shelf:starting' && opened++ === 0 ? unreachable() : store),
      migrate: migrations,
      status: url === 'shelf:away' ? unreachable : migrations,
      details: async () => ['on the left shelf'],
    }),
  };`;

let directory: string;
beforeEach(async () => {
  directory = await scratchDirectory(onTestFinished);
});

test('a URL of the form that messages name belongs to that adapter, and to no other', () => {
  for (const adapter of storageAdapters) {
    const url = adapter.form.replace('<path>', 'plants.db').replace('…', 'host/plants');
    expect(storageAdapters.filter(({ urls }) => urls.test(url))).toEqual([adapter]);
    expect(findAdapter(url)).toBe(adapter);
    expect(describeUrls().split(/, | or /)).toContain(adapter.form);
  }
});

test('adapters that share a setting declare the same limit for it', () => {
  const declared = new Map<string, unknown>();
  for (const limit of storageAdapters.flatMap(settableLimits)) {
    expect(limit).toEqual(declared.get(limit.name) ?? limit);
    declared.set(limit.name, limit);
  }
});

test.each([
  ['a file', './shelf.mjs', 'shelf.mjs'],
  ['a package', '@acme/shelf', 'node_modules/@acme/shelf/main.mjs'],
])('P8/F11 a storage adapter from outside is %s, resolved from the working directory', async (_, name, path) => {
  await writeShelf(path);
  const exports = { '.': { import: './main.mjs' } };
  await write('node_modules/@acme/shelf/package.json', JSON.stringify({ name: '@acme/shelf', exports }));
  const run = await runToEnd(['migrate', 'up'], { STORAGE_ADAPTER: name, DATABASE_URL: 'shelf:1' }, directory);
  expect(run).toEqual({ code: 0, output: 'applied  001_shelf\non the left shelf\n' });
});

test('P8/F11 commands and the service recognize the errors of a store from outside by their codes', async () => {
  await writeShelf('shelf.mjs');
  const STORAGE_ADAPTER = join(directory, 'shelf.mjs');
  const run = (command: string, DATABASE_URL: string) => runHere(command, { STORAGE_ADAPTER, DATABASE_URL });
  expect(await run('export', 'shelf:1')).toMatchObject({ code: 2 });
  const isAway = { code: 3, output: 'plant-store: the shelf is out of reach\n' };
  expect(await run('migrate status', 'shelf:away')).toEqual(isAway);
  const lines: string[] = [];
  const service = await composedService({ STORAGE_ADAPTER, DATABASE_URL: 'shelf:starting' }, lines);
  onTestFinished(() => service.stop());
  expect(lines.join('')).toContain('not ready: the shelf is out of reach; the service tries again every second');
  expect((await create(service.url, { id: 7, name: 'Fern' })).status).toBe(200);
  expect((await create(service.url, { id: 8, name: 'Nettle' })).status).toBe(503);
  expect((await create(service.url, { id: 9, name: 'Ivy' })).status).toBe(400);
});

test.each([
  ['is not there', '/none.mjs', '', "Cannot find module '"],
  ['is not installed', '@acme/none', '', "Cannot find package '@acme/none' imported from "],
  ['exports something else', '/shelf.mjs', 'export const engine = {};', 'it does not export a storageAdapter with '],
  ['fails as it is loaded', '/shelf.mjs', "throw new Error('no licence\\nat all')", 'no licence'],
])('P8/F11 a storage adapter that %s is a fault of the configuration, in one line', async (_, name, text, fault) => {
  if (text) await write('shelf.mjs', text);
  const STORAGE_ADAPTER = name.replace(/^\//, `${directory}/`);
  const { code, output } = await runHere('config', { STORAGE_ADAPTER });
  expect({ code, output }).toEqual({ code: 2, output: expect.stringMatching(/^[^\n]+\n$/) });
  expect(output).toContain(`STORAGE_ADAPTER: cannot use ${STORAGE_ADAPTER}: ${fault}`);
});

/** Writes the adapter beside its own copy of the domain, of another version. */
async function writeShelf(path: string): Promise<void> {
  await write(path, shelf);
  await write('node_modules/@plant-store/domain/package.json', '{"type":"module","exports":"./index.js"}');
  const another = (name: string, code: string) => `export class ${name} extends Error { code = '${code}'; }\n`;
  const errors = another('StoreUnavailable', 'ERR_STORE_UNAVAILABLE_OF_ANOTHER_VERSION');
  await write('node_modules/@plant-store/domain/index.js', errors + another('PlantRefused', 'ERR_PLANT_REFUSED'));
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(join(directory, path, '..'), { recursive: true });
  await writeFile(join(directory, path), text);
}
