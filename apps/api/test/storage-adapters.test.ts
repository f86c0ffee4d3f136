import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { describeUrls, findAdapter, settableLimits, storageAdapters } from '../src/stores.ts';
import { create, runToEnd, scratchDirectory, startService } from './running-service.ts';

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
])(
  'P8/F11 a storage adapter from outside is %s, and its errors are recognized by their codes',
  async (_, name, path) => {
    await writeShelf(path);
    const exports = { '.': { import: './main.mjs' } };
    await written('node_modules/@acme/shelf/package.json', JSON.stringify({ name: '@acme/shelf', exports }));
    const environment = { STORAGE_ADAPTER: name, DATABASE_URL: 'shelf:1' };
    const output = 'applied  001_shelf\non the left shelf\n';
    expect(await runToEnd(['migrate', 'up'], environment, directory)).toEqual({ code: 0, output });
    expect(await runToEnd(['export'], environment, directory)).toMatchObject({ code: 2 });
    const away = { ...environment, DATABASE_URL: 'shelf:away' };
    const isAway = { code: 3, output: 'plant-store: the shelf is out of reach\n' };
    expect(await runToEnd(['migrate', 'status'], away, directory)).toEqual(isAway);
    // The service waits for a store that is unavailable.
    using service = await startService({ STORAGE_ADAPTER: join(directory, path), DATABASE_URL: 'shelf:starting' });
    expect(service.output()).toContain('not ready: the shelf is out of reach; the service tries again every second');
    expect((await create(service.url, { id: 7, name: 'Fern' })).status).toBe(200);
    expect((await create(service.url, { id: 8, name: 'Nettle' })).status).toBe(503);
    expect((await create(service.url, { id: 9, name: 'Ivy' })).status).toBe(400);
  },
);

test.each([
  ['is not there', './none.mjs', '', "Cannot find module '"],
  ['is not installed', '@acme/none', '', "Cannot find package '@acme/none' imported from "],
  ['exports something else', './shelf.mjs', 'export const engine = {};', 'it does not export a storageAdapter with '],
  ['fails as it is loaded', './shelf.mjs', "throw new Error('no licence\\nat all')", 'no licence'],
])('P8/F11 a storage adapter that %s is a fault of the configuration, in one line', async (_, name, text, fault) => {
  if (text) await written('shelf.mjs', text);
  const { code, output } = await runToEnd(['serve'], { STORAGE_ADAPTER: name }, directory);
  expect({ code, output }).toEqual({ code: 2, output: expect.stringMatching(/^[^\n]+\n$/) });
  expect(output).toContain(`STORAGE_ADAPTER: cannot use ${name}: ${fault}`);
});

/** Writes the adapter beside its own copy of the domain, of another version. */
async function writeShelf(path: string): Promise<void> {
  await written(path, shelf);
  await written('node_modules/@plant-store/domain/package.json', '{"type":"module","exports":"./index.js"}');
  const another = (name: string, code: string) => `export class ${name} extends Error { code = '${code}'; }\n`;
  const errors = another('StoreUnavailable', 'ERR_STORE_UNAVAILABLE_OF_ANOTHER_VERSION');
  await written('node_modules/@plant-store/domain/index.js', errors + another('PlantRefused', 'ERR_PLANT_REFUSED'));
}

async function written(path: string, text: string): Promise<void> {
  await mkdir(join(directory, path, '..'), { recursive: true });
  await writeFile(join(directory, path), text);
}
