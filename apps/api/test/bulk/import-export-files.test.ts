import { copyFile, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { plants } from '../imports-and-exports.ts';
import { runToEnd, startInProcess } from '../run-in-process.ts';
import { run } from '../running-process.ts';
import { scratchDirectory } from '../running-service.ts';

/** A store with a plant: each test gets a copy, which costs no process. */
let original: string;
beforeAll(async () => {
  const directory = await scratchDirectory(afterAll);
  original = join(directory, 'plants.db');
  const file = join(directory, 'in.ndjson');
  await writeFile(file, plants(1, 1));
  expect((await runToEnd(['import', file, '--url', `sqlite:${original}`])).code).toBe(0);
});

async function storeWithAPlant(lines = plants(1, 1)) {
  const directory = await scratchDirectory(onTestFinished);
  const path = (name: string) => join(directory, name);
  await copyFile(original, path('plants.db'));
  await writeFile(path('in.ndjson'), lines);
  const text = (name: string) => readFile(path(name), 'utf8');
  return { directory, path, text, DATABASE_URL: `sqlite:${path('plants.db')}` };
}

test('an export is a file that only its owner can read, and replaces another with --force', async () => {
  const { directory, path, text, DATABASE_URL } = await storeWithAPlant();
  for (const options of [[], ['--force']]) {
    const exported = await runToEnd(['export', path('out.ndjson'), ...options], { DATABASE_URL });
    expect(exported).toEqual({ code: 0, output: 'plants written: 1\n' });
    expect(await text('out.ndjson')).toBe(plants(1, 1));
    expect((await stat(path('out.ndjson'))).mode & 0o777).toBe(0o600);
  }
  expect((await readdir(directory)).filter((name) => name.includes('incomplete'))).toEqual([]);
});

test.each([
  ['EPIPE', 0, ''],
  ['ENOSPC', 3, 'plant-store: cannot be written; the export is incomplete: run it again\n'],
])('an export to standard output that fails with %s has exit code %i', async (failsWith, code, output) => {
  const { DATABASE_URL } = await storeWithAPlant();
  expect(await runToEnd(['export'], { DATABASE_URL }, { failsWith })).toEqual({ code, output });
});

test('rejects go beside the file, for its owner only, in the place of those of an earlier import', async () => {
  const { path, text, DATABASE_URL } = await storeWithAPlant(`${plants(1, 1)}hello\n`);
  const rejects = path('in.ndjson.rejects.ndjson');
  await writeFile(path('notes'), 'my notes');
  await symlink('notes', rejects);
  for (let time = 1; time <= 2; time += 1) {
    expect((await runToEnd(['import', path('in.ndjson')], { DATABASE_URL })).code).toBe(1);
    expect(await readFile(rejects, 'utf8')).toBe('{"line":2,"reason":"the line is not valid JSON"}\n');
    expect((await stat(rejects)).mode & 0o777).toBe(0o600);
  }
  expect(await text('notes')).toBe('my notes');
  await writeFile(path('in.ndjson'), plants(1, 1));
  expect((await runToEnd(['import', path('in.ndjson')], { DATABASE_URL })).code).toBe(0);
  await expect(stat(rejects)).rejects.toThrow('ENOENT');
});

const inUse = 'is in use by this command: pass another path';

test.each([
  ['export in.ndjson', 'exists: pass another path, or --force'],
  ['export pipe --format csv --force', 'is not a regular file: pass the path of one'],
  ['export plants.db --format csv --force', inUse],
  ['export link.db --format csv --force', inUse],
  ['import in.ndjson --rejects notes', 'exists: pass another path, or --force'],
  // What is in the place of the rejects stays if the import does nothing, or if they are not those of an earlier import.
  ['import in.ndjson --rejects old.rejects.ndjson', 'exists: pass another path, or --force'],
  ['import in.ndjson --dry-run', 'in.ndjson.rejects.ndjson exists: pass another path, or --force'],
  ['import in.ndjson --url memory:', 'no other process can read this store'],
  ['import in.ndjson --rejects directory --force', 'is not a regular file'],
  ['import in.ndjson --rejects link.db --force', inUse],
  ['import in.ndjson --rejects in.ndjson --force', inUse],
  ['import old.rejects.ndjson --rejects old.rejects.ndjson', inUse],
  ['import pipe --format csv', 'is not a regular file: pass the path of one, or - for standard input'],
  ['import directory --format csv', 'is not a regular file'],
  ['import /dev/zero --format csv', 'is not a regular file'],
  ['import nothing.csv', 'nothing.csv: no such file'],
])('%s: %s', async (command, message) => {
  const { directory, path, DATABASE_URL } = await storeWithAPlant();
  await writeFile(path('notes'), 'my notes');
  await writeFile(path('old.rejects.ndjson'), 'hello');
  await mkdir(path('directory'));
  await writeFile(path('in.ndjson.rejects.ndjson'), 'rejected');
  await symlink('plants.db', path('link.db'));
  await run('mkfifo', [path('pipe')], {}).ended;
  const files = ['in.ndjson', 'in.ndjson.rejects.ndjson', 'notes', 'old.rejects.ndjson', 'plants.db'];
  const all = async () => [await readdir(directory), ...(await Promise.all(files.map((name) => readFile(path(name)))))];
  const before = await all();
  const args = command
    .split(' ')
    .map((word) => (before[0]?.includes(word) || word === 'nothing.csv' ? path(word) : word));
  const { code, output } = await runToEnd(args, { DATABASE_URL });
  expect({ code, output }).toEqual({ code: 2, output: expect.stringContaining(message) });
  expect(await all()).toEqual(before);
});

test.each([
  [
    'rejects cannot be written',
    `${plants(1, 3)}hello\n${plants(4, 5)}`,
    ['--rejects', '/dev/full'],
    '5 stored',
    'ENOSPC',
    /^old$/,
  ],
  [
    'CSV cannot be parsed further',
    'id,name\n2,a\n3,"b\n4,d\n',
    ['--format', 'csv'],
    '1 stored',
    'the record after line 2: Quote Not Closed',
    /^old$/,
  ],
  [
    'nearly all lines are rejected',
    'x\n'.repeat(10_000),
    [],
    '0 stored',
    '1000 of 1000 lines are rejected; fix the file',
    /^(\{"line":\d+,.*\}\n)+$/,
  ],
])('an import stops if %s, and says what was done', async (_what, lines, options, stored, message, rejects) => {
  const { path, text, DATABASE_URL } = await storeWithAPlant(lines);
  await writeFile(path('in.ndjson.rejects.ndjson'), 'old');
  const { code, output } = await runToEnd(['import', path('in.ndjson'), ...options], { DATABASE_URL });
  expect({ code, output }).toEqual({ code: 3, output: expect.stringMatching(`^${stored}.*\n.*stopped: .*${message}`) });
  // It would stop there again.
  expect(output).not.toContain('run the same import again');
  expect(await text('in.ndjson.rejects.ndjson')).toMatch(rejects);
});

test('with --keep-going an import goes on if nearly all lines are rejected', async () => {
  const { path, text, DATABASE_URL } = await storeWithAPlant('x\n'.repeat(10_000));
  expect((await runToEnd(['import', path('in.ndjson'), '--keep-going'], { DATABASE_URL })).code).toBe(1);
  expect(await text('in.ndjson.rejects.ndjson')).toMatch(/^(\{"line":\d+,.*\}\n){10000}$/);
});

test.each([
  ['a directory', { DATABASE_URL: '.' }, 'is no regular file (Directory): set another path'],
  ['a file of another kind', { DATABASE_URL: 'in.ndjson' }, 'the path leads to a file of another kind'],
  ['one whose schema is out of date', { DATABASE_URL: 'new.db', MIGRATE: 'off' }, 'or set MIGRATE=auto\n'],
])('an import does not wait if the store is %s', async (_what, { DATABASE_URL, ...environment }, message) => {
  const { path, text } = await storeWithAPlant(plants(1, 1_000));
  const given = { ...environment, DATABASE_URL: `sqlite:${path(DATABASE_URL)}` };
  const { code, output } = await runToEnd(['import', path('in.ndjson')], given);
  expect({ code, output }).toEqual({ code: 2, output: expect.stringContaining(message) });
  expect(await text('in.ndjson')).toBe(plants(1, 1_000));
});

const unreachable = { DATABASE_URL: 'postgres://user:sesame@127.0.0.1:1/plants?sslmode=disable' };

test.each([
  ['unreachable', unreachable.DATABASE_URL, 'ECONNREFUSED'],
  // With an empty label it is unknown without a name server, too.
  ['on a host without an address yet', 'postgres://user:sesame@nowhere..invalid/plants?sslmode=disable', 'ENOTFOUND'],
])('an import waits for a store that is %s, for so long, then ends with exit code 3', async (_what, url, reason) => {
  const { path, text } = await storeWithAPlant();
  await writeFile(path('in.ndjson.rejects.ndjson'), 'rejected');
  const args = ['import', path('in.ndjson'), '--url', url, '--retry-for', '1'];
  const { code, output } = await runToEnd(args);
  // On a slow machine the time may be over after the first attempt, which is then not repeated.
  const retried = `(?:plant-store: retrying for up to 1 s: .*${reason}.*\n)?`;
  const expected = `^${retried}plant-store: .*${reason}.*; nothing was imported: run the same import again\n$`;
  expect({ code, output }).toEqual({ code: 3, output: expect.stringMatching(expected) });
  expect(output).not.toContain('sesame');
  expect(await text('in.ndjson.rejects.ndjson')).toBe('rejected');
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s ends an import that waits, and an export', async (signal) => {
  const { path, DATABASE_URL } = await storeWithAPlant();
  const importing = startInProcess(['import', path('in.ndjson')], unreachable);
  await expect.poll(importing.output).toContain('retrying');
  importing.kill(signal);
  expect(await importing.ended).toBe(3);
  expect(importing.output()).toMatch(/^plant-store: interrupted; nothing was imported: run the same import again$/m);

  const exporting = startInProcess(['export'], { DATABASE_URL }, { isStalled: true });
  await expect.poll(exporting.output).toBe(plants(1, 1));
  exporting.kill(signal);
  expect(await exporting.ended).toBe(3);
  expect(exporting.output()).toMatch(/^plant-store: interrupted; the export is incomplete: run it again$/m);
});
