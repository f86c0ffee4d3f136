import { execFileSync } from 'node:child_process';
import { appendFile, copyFile, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { plants } from '../plants.ts';
import { runToEnd, startInProcess } from '../run-in-process.ts';
import { plantStore, scratchDirectory } from '../running-service.ts';

/** A store with a plant: each test gets a copy, which costs no process. */
let original: string;
beforeAll(async () => {
  const directory = await scratchDirectory(afterAll);
  original = join(directory, 'plants.db');
  const file = join(directory, 'in.ndjson');
  await writeFile(file, plants(1, 1));
  expect((await runToEnd(['import', file, '--url', `sqlite:${original}`])).code).toBe(0);
});

/** A directory with a store and a file of these lines. */
async function storeWithAPlant(lines = plants(1, 1)) {
  const directory = await scratchDirectory(onTestFinished);
  const path = (name: string) => join(directory, name);
  await copyFile(original, path('plants.db'));
  await writeFile(path('in.ndjson'), lines);
  const text = (name: string) => readFile(path(name), 'utf8');
  return { directory, path, text, DATABASE_URL: `sqlite:${path('plants.db')}` };
}

test('an export can be imported and exported again, byte for byte, in both formats', async () => {
  const hard = [
    '{"id":-9223372036854775808,"name":"","tag":""}\n',
    '{"id":0,"name":"\\n\\r\\n,\\"; ","tag":" "}\n',
    '{"id":9007199254740993,"name":"Ünïcödé 🌱"}\n',
    '{"id":9223372036854775807,"name":"\\\\"}\n',
  ].join('');
  const { path, text } = await storeWithAPlant(hard);
  const stored = { code: 0, output: expect.stringMatching(/^4 stored, 0 rejected, in /m) };
  const written = (text = '') => ({ code: 0, output: `${text}plants written: 4\n` });
  const [one, other] = [`sqlite:${path('one.db')}`, `sqlite:${path('other.db')}`];
  expect(await runToEnd(['import', path('in.ndjson'), '--url', one])).toEqual(stored);
  expect(await runToEnd(['export', path('out.csv'), '--url', one])).toEqual(written());
  expect(await runToEnd(['import', path('out.csv'), '--url', other])).toEqual(stored);
  expect(await runToEnd(['export', '-', '--url', other])).toEqual(written(hard));
  const again = await runToEnd(['export', '--format', 'csv', '--url', other]);
  expect(again).toEqual(written(await text('out.csv')));
});

test('each rejected line has its number and the reason, in their order, and all others are stored', async () => {
  const { path, text, DATABASE_URL } = await storeWithAPlant();
  await writeFile(path('in.ndjson'), `${plants(1, 2)}hello\n{"id":1.5}\n\n{"id":2,"name":"other"}\n`);
  await appendFile(path('in.ndjson'), Buffer.from('{"id":3,"name":"\xff"}\n', 'latin1'));
  await appendFile(path('in.ndjson'), plants(5, 2_500));
  const rejects = path('in.ndjson.rejects.ndjson');
  // What is at the place of the rejects is replaced, and what a link there leads to stays.
  await writeFile(path('notes'), 'my notes');
  await symlink('notes', rejects);
  for (const stored of ['2,498 stored (1 already)', '2,498 stored (2,498 already)']) {
    const output = expect.stringContaining(`${stored}, 4 rejected (see ${rejects}), in `);
    expect(await runToEnd(['import', path('in.ndjson')], { DATABASE_URL })).toEqual({ code: 1, output });
    expect((await stat(rejects)).mode & 0o777).toBe(0o600);
  }
  const lines = (await text('in.ndjson.rejects.ndjson')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { line: 3, reason: 'the line is not valid JSON: column 1' },
    { line: 4, reason: expect.stringMatching(/^id must be an integer from .*; name is missing/) },
    { line: 6, reason: 'id: 2 is taken by another plant, which is unchanged' },
    { line: 7, reason: 'the line is not valid UTF-8' },
  ]);
  expect(await text('notes')).toBe('my notes');
  await writeFile(path('in.ndjson'), plants(1, 1));
  expect((await runToEnd(['import', path('in.ndjson')], { DATABASE_URL })).code).toBe(0);
  await expect(stat(rejects)).rejects.toThrow('ENOENT');
});

test('--dry-run stores nothing, and rejects what an import would; --ignore-columns takes a CSV with others', async () => {
  const { path } = await storeWithAPlant('id,color,name\n1,green,plant 1\nx,green,plant\n');
  const args = ['--format', 'csv', '--ignore-columns', '--dry-run', '--url', `sqlite:${path('new.db')}`];
  const checked = await runToEnd(['import', path('in.ndjson'), ...args]);
  expect(checked).toEqual({ code: 1, output: expect.stringMatching(/^1 valid, 1 rejected/) });
  await expect(stat(path('new.db'))).rejects.toThrow('ENOENT');
});

test.each([
  ['EPIPE', 0, ''],
  ['ENOSPC', 3, 'plant-store: cannot be written; the export is incomplete: run it again\n'],
])('an export to standard output that fails with %s has exit code %i', async (failsWith, code, output) => {
  const { DATABASE_URL } = await storeWithAPlant();
  expect(await runToEnd(['export'], { DATABASE_URL }, { failsWith })).toEqual({ code, output });
});

const inUse = 'is in use by this command: pass another path';

test.each([
  ['export in.ndjson', 'exists: pass another path, or --force'],
  ['export pipe --format csv --force', 'is not a regular file: pass the path of one'],
  ['export /nowhere/file.csv', '(ENOENT): pass the path of a writable file'],
  ['export link.db --format csv --force', inUse],
  ['export --url memory:', 'no other process can read this store'],
  ['export --url http://host', '--url: expected postgres://…'],
  // What is in the place of the rejects stays if the import does nothing, or if they are not those of an earlier import.
  ['import in.ndjson --rejects old.rejects.ndjson', 'exists: pass another path, or --force'],
  ['import in.ndjson --dry-run', 'in.ndjson.rejects.ndjson exists: pass another path, or --force'],
  ['import in.ndjson --url http://127.0.0.1:1', '--url: expected postgres://…'],
  ['import in.ndjson --rejects directory --force', 'is not a regular file'],
  ['import in.ndjson --rejects link.db --force', inUse],
  ['import in.ndjson --rejects in.ndjson --force', inUse],
  ['import in.ndjson --retry-for 0', 'Expected a whole number above zero'],
  ['import in.ndjson --ignore-columns', 'only CSV has columns'],
  ['import -', 'cannot infer the format of - from its name: pass --format ndjson or --format csv'],
  ['import pipe --format csv', 'is not a regular file: pass the path of one, or - for standard input'],
  ['import new\u001b.csv', 'new\\u001b.csv: no such file'],
])('%s: a usage error in one line, and nothing is changed', async (command, message) => {
  const { directory, path, DATABASE_URL } = await storeWithAPlant();
  await writeFile(path('notes'), 'my notes');
  await writeFile(path('old.rejects.ndjson'), 'hello');
  await mkdir(path('directory'));
  await writeFile(path('in.ndjson.rejects.ndjson'), 'rejected');
  await symlink('plants.db', path('link.db'));
  execFileSync('mkfifo', [path('pipe')]);
  const files = ['in.ndjson', 'in.ndjson.rejects.ndjson', 'notes', 'old.rejects.ndjson', 'plants.db'];
  const all = async () => [await readdir(directory), ...(await Promise.all(files.map((name) => readFile(path(name)))))];
  const before = await all();
  const args = command.split(' ').map((word) => (before[0]?.includes(word) ? path(word) : word));
  const { code, output } = await runToEnd(args, { DATABASE_URL });
  expect({ code, output }).toEqual({ code: 2, output: expect.stringMatching(/^plant-store: [^\n]*\n$/) });
  expect(output).toContain(message);
  expect(await all()).toEqual(before);
});

const badCsv = 'id,name\n2,a\n3,"b\n4,d\n';

test.each([
  ['rejects cannot be written', 'in.ndjson --rejects /dev/full', `${plants(1, 3)}hello\n`, /^3 stored.*\n.*ENOSPC/],
  ['CSV cannot be parsed further', 'in.ndjson --format csv', badCsv, /^1 stored.*\n.*after line 2: Quote Not Closed/],
  ['nearly all lines are rejected', 'in.ndjson --rejects new', 'x\n'.repeat(2_000), /^0 .*\n.*1000 of 1000 lines are/],
])(
  'an import stops if %s, says what was done, and leaves nothing half written',
  async (_what, command, lines, message) => {
    const { directory, path, text, DATABASE_URL } = await storeWithAPlant(lines);
    await writeFile(path('in.ndjson.rejects.ndjson'), 'old');
    const args = command.split(' ').map((word) => (/^(in|new)/.test(word) ? path(word) : word));
    const { code, output } = await runToEnd(['import', ...args], { DATABASE_URL });
    expect({ code, output }).toEqual({ code: 3, output: expect.stringMatching(message) });
    // It would stop there again.
    expect(output).not.toContain('run the same import again');
    expect(await text('in.ndjson.rejects.ndjson')).toBe('old');
    expect((await readdir(directory)).join()).not.toContain('incomplete');
  },
);

test.each([
  ['--keep-going', 'x\n'.repeat(2_000), 2_000],
  ['--force', `${plants(1, 1)}${'x\n'.repeat(9)}`.repeat(200), 1_800],
])(
  'with %s an import goes on: nearly all lines may be rejected, and without it nine of ten',
  async (option, lines, rejected) => {
    const { path, text, DATABASE_URL } = await storeWithAPlant(lines);
    expect((await runToEnd(['import', path('in.ndjson'), option], { DATABASE_URL })).code).toBe(1);
    expect((await text('in.ndjson.rejects.ndjson')).match(/^{"line":\d+,.*}$/gm)).toHaveLength(rejected);
  },
);

test.each([
  ['a file of another kind', { DATABASE_URL: 'in.ndjson' }, 'the path leads to a file of another kind'],
  ['one whose schema is out of date', { DATABASE_URL: 'new.db', MIGRATE: 'off' }, 'or set MIGRATE=auto\n'],
])('an import does not wait if the store is %s', async (_what, { DATABASE_URL, ...environment }, message) => {
  const { path } = await storeWithAPlant(plants(1, 1_000));
  const given = { ...environment, DATABASE_URL: `sqlite:${path(DATABASE_URL)}` };
  const { code, output } = await runToEnd(['import', path('in.ndjson')], given);
  expect({ code, output }).toEqual({ code: 2, output: expect.stringContaining(message) });
});

const unreachable = 'postgres://user:sesame@127.0.0.1:1/plants?sslmode=disable';

test('an import waits for a store that is unreachable, for so long, then ends with exit code 3', async () => {
  const { path, text } = await storeWithAPlant();
  await writeFile(path('in.ndjson.rejects.ndjson'), 'rejected');
  const { code, output } = await runToEnd(['import', path('in.ndjson'), '--url', unreachable, '--retry-for', '1']);
  // On a slow machine the time may be over after the first attempt, which is then not repeated.
  const retried = '(?:plant-store: retrying for up to 1 s: .*ECONNREFUSED.*\n)?';
  const expected = `^${retried}plant-store: .*ECONNREFUSED.*; nothing was imported: run the same import again\n$`;
  expect({ code, output }).toEqual({ code: 3, output: expect.stringMatching(expected) });
  expect(output).not.toContain('sesame');
  expect(await text('in.ndjson.rejects.ndjson')).toBe('rejected');
});

test.each<[signals: NodeJS.Signals[], code: number]>([
  [['SIGINT'], 3],
  [['SIGTERM'], 3],
  // A terminal that closes may send it several times.
  [['SIGHUP', 'SIGHUP'], 3],
  [['SIGTERM', 'SIGINT'], 130],
])('%j ends an import that waits and an export, and Ctrl-C after a signal at once: %i', async (signals, code) => {
  const { path, DATABASE_URL } = await storeWithAPlant();
  const importing = startInProcess(['import', path('in.ndjson')], { DATABASE_URL: unreachable });
  await expect.poll(importing.output).toContain('retrying');
  const exporting = startInProcess(['export'], { DATABASE_URL }, { isStalled: true });
  await expect.poll(exporting.output).toBe(plants(1, 1));
  for (const signal of signals) for (const each of [importing, exporting]) each.kill(signal);
  expect([await importing.ended, await exporting.ended]).toEqual([code, code]);
  if (code !== 3) return;
  expect(importing.output()).toMatch(/^plant-store: interrupted; nothing was imported: run the same import again$/m);
  expect(exporting.output()).toMatch(/^plant-store: interrupted; the export is incomplete: run it again$/m);
});

test('an import that is interrupted completes plants in flight, and is simply repeated', async () => {
  const { path, DATABASE_URL } = await storeWithAPlant(plants(1, 20_000));
  using importing = plantStore(['import', path('in.ndjson')], { DATABASE_URL });
  const log = async () => (await stat(path('plants.db-wal')).catch(() => undefined))?.size;
  await expect.poll(log, { timeout: 20_000, interval: 5 }).toBeGreaterThan(1e5);
  expect(await importing.stop()).toBe(3);
  const report = /^([\d,]+) stored.*, 0 rejected, .*\nplant-store: stopped: interrupted; run the same import again$/m;
  const [, done = ''] = await importing.printed(report);
  const count = async () => (await runToEnd(['export'], { DATABASE_URL })).output.match(/^\{/gm)?.length;
  expect(await count()).toBe(Number(done.replaceAll(',', '')));
  const output = expect.stringContaining(`20,000 stored (${done} already), 0 rejected`);
  expect(await runToEnd(['import', path('in.ndjson')], { DATABASE_URL })).toEqual({ code: 0, output });
  expect(await count()).toBe(20_000);
});
