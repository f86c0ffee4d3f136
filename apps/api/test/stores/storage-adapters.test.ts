import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { adapterFor, limitsOf, storageAdapters, urlForms } from '../../src/stores/index.ts';
import { runToEnd } from '../run-in-process.ts';
import { create, scratchDirectory, startService } from '../running-service.ts';

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
  const details = async () => ['on the left shelf\\u001b'];
  export const storageAdapter = {
    form: 'shelf:<name>',
    urls: /^shelf:./,
    at: (url) => ({
      open: async () => (url === 'shelf:starting' && opened++ === 0 ? unreachable() : store),
      migrate: migrations,
      status: url === 'shelf:away' ? unreachable : migrations,
      details,
      ...(url === 'shelf:starting' && { export: unreachable }),
    }),
  };`;

let directory: string;
beforeEach(async () => {
  directory = await scratchDirectory(onTestFinished);
  vi.spyOn(process, 'cwd').mockReturnValue(directory);
});
afterEach(() => void vi.restoreAllMocks());

test('a URL of the form that messages name belongs to that adapter, and to no other', () => {
  for (const adapter of storageAdapters) {
    const url = adapter.form.replace('<path>', 'plants.db').replace('…', 'host/plants');
    expect(storageAdapters.filter(({ urls }) => urls.test(url))).toEqual([adapter]);
    expect(adapterFor(url)).toBe(adapter);
    expect(urlForms().split(/, | or /)).toContain(adapter.form);
  }
});

test('adapters that share a setting declare the same limit for it', () => {
  const declared = new Map<string, unknown>();
  for (const { setting, ...limit } of storageAdapters.flatMap((adapter) => Object.values(limitsOf(adapter)))) {
    if (!setting) continue;
    const first = declared.get(setting.name) ?? { setting, ...limit };
    expect({ setting, ...limit }).toEqual(first);
    declared.set(setting.name, first);
  }
});

test.each([
  ['a file of the working directory', './shelf.mjs', 'shelf.mjs'],
  ['a package that is installed there', '@acme/shelf', 'node_modules/@acme/shelf/main.mjs'],
])('a storage adapter from outside is %s', async (_, STORAGE_ADAPTER, path) => {
  await writeShelf(path);
  const exports = { '.': { import: './main.mjs' } };
  await written('node_modules/@acme/shelf/package.json', JSON.stringify({ name: '@acme/shelf', exports }));
  const environment = { STORAGE_ADAPTER, DATABASE_URL: 'shelf:1', DATA_DIR: directory };
  const output = 'applied  001_shelf\non the left shelf\\u001b\n';
  for (const command of ['up', 'status'])
    expect(await runToEnd(['migrate', command], environment)).toEqual({ code: 0, output });
  expect(await runToEnd(['export'], environment)).toMatchObject({ code: 2 });
  using service = await startService({ STORAGE_ADAPTER: join(directory, path), DATABASE_URL: 'shelf:1' });
  expect((await create(service.url, { id: 7, name: 'Fern' })).status).toBe(200);
  expect((await create(service.url, { id: 8, name: 'Nettle' })).status).toBe(503);
  expect((await create(service.url, { id: 9, name: 'Ivy' })).status).toBe(400);
});

test.each([
  ['is not there', './none.mjs', '', "Cannot find module '"],
  ['is not installed', '@acme/none', '', "Cannot find package '@acme/none' imported from "],
  ['exports something else', './shelf.mjs', 'export const engine = {};', 'it does not export a storageAdapter with '],
  ['fails as it is loaded', './shelf.mjs', "throw new Error('no licence\\nat all')", 'no licence'],
])(
  'a storage adapter that %s is a fault of the configuration, in one line',
  async (_, STORAGE_ADAPTER, text, fault) => {
    if (text) await written('shelf.mjs', text);
    for (const command of ['serve', 'migrate status', 'import - --url shelf:1', 'export --url shelf:1']) {
      const { code, output } = await runToEnd(command.split(' '), { STORAGE_ADAPTER });
      expect({ code, output }).toEqual({ code: 2, output: expect.stringMatching(/^[^\n]+\n(?: {2}[^\n]+\n)?$/) });
      expect(output).toContain(`STORAGE_ADAPTER: cannot use ${STORAGE_ADAPTER}: ${fault}`);
    }
  },
);

test('commands recognize the errors of an adapter that has its own copy of the domain', async () => {
  await writeShelf('shelf.mjs');
  const environment = { STORAGE_ADAPTER: './shelf.mjs', DATABASE_URL: 'shelf:away' };
  const isAway = expect.stringContaining('the shelf is out of reach');
  expect(await runToEnd(['migrate', 'status'], environment)).toEqual({ code: 3, output: isAway });

  const stdin = Readable.from([Buffer.from('{"id":1,"name":"Ivy"}\n{"id":2,"name":"Moss"}\n')]);
  const rejects = join(directory, 'rejects.ndjson');
  const args = ['import', '-', '--format', 'ndjson', '--rejects', rejects, '--url', 'shelf:starting'];
  expect(await runToEnd(args, environment, { stdin })).toEqual({ code: 1, output: isAway });
  expect(await readFile(rejects, 'utf8')).toBe('{"line":1,"reason":"it would grow over the shelf"}\n');
});

/** Writes the adapter beside its own copy of the domain, of another version: its errors are recognized by their codes. */
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
