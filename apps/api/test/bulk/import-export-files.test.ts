import { copyFile, link, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { plants } from '../imports-and-exports.ts';
import { runToEnd, startInProcess } from '../run-in-process.ts';
import { run } from '../running-process.ts';
import { scratchDirectory } from '../running-service.ts';
import { patiently } from '../started-outage.ts';

/** A store with a plant: each test gets a copy, which costs no process. */
let original: string;
beforeAll(async () => {
  const directory = await scratchDirectory(afterAll);
  original = join(directory, 'plants.db');
  const file = join(directory, 'in.ndjson');
  await writeFile(file, plants(1, 1));
  expect((await runToEnd(['import', file, '--url', `sqlite:${original}`])).code).toBe(0);
});

async function storeWithAPlant() {
  const directory = await scratchDirectory(onTestFinished);
  const path = (name: string) => join(directory, name);
  await copyFile(original, path('plants.db'));
  await writeFile(path('in.ndjson'), plants(1, 1));
  await run('mkfifo', [path('pipe')], {}).ended;
  return { directory, path, DATABASE_URL: `sqlite:${path('plants.db')}` };
}

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describe('plant-store export', () => {
  test('creates a file that only its owner can read, and replaces it with --force', async () => {
    const { directory, path, DATABASE_URL } = await storeWithAPlant();
    for (const options of [[], ['--force']]) {
      expect(await runToEnd(['export', path('out.ndjson'), ...options], { DATABASE_URL })).toEqual({
        code: 0,
        output: 'plants written: 1\n',
      });
      expect(await readFile(path('out.ndjson'), 'utf8')).toBe(plants(1, 1));
      expect(await modeOf(path('out.ndjson'))).toBe(0o600);
    }
    expect((await readdir(directory)).filter((name) => name.includes('incomplete'))).toEqual([]);
  });

  test.each([
    ['in.ndjson', [], 'exists: pass --force to replace it'],
    ['pipe', [], 'is not a regular file: pass another path, or --force to write to it'],
    // Nobody reads it.
    ['pipe', ['--force'], '(ENXIO): pass the path of a writable file'],
    ['nowhere/out.ndjson', [], '(ENOENT): pass the path of a writable file'],
    ['.', [], 'is a directory: pass the path of a file'],
  ])('does not write to %s %j, exit code 2', async (name, options, message) => {
    const { path, DATABASE_URL } = await storeWithAPlant();
    const args = ['export', path(name), '--format', 'ndjson', ...options];
    const { code, output } = await runToEnd(args, { DATABASE_URL });
    expect({ code, output }).toEqual({ code: 2, output: expect.stringContaining(message) });
    expect(await readFile(path('in.ndjson'), 'utf8')).toBe(plants(1, 1));
  });

  test('replaces no file of the store itself, under whatever name and link', async () => {
    const { directory, path } = await storeWithAPlant();
    await symlink(directory, path('directory'));
    await symlink('plants.db', path('link.db'));
    await link(path('plants.db'), path('hard.db'));
    const names = [
      'plants.db',
      'link.db',
      'hard.db',
      'directory/plants.db',
      'plants.db-wal',
      'directory/plants.db-shm',
    ];
    const before = await readFile(path('plants.db'));
    for (const store of ['plants.db', 'link.db'])
      for (const name of names)
        for (const command of [
          ['export', path(name), '--format', 'csv'],
          ['import', path('in.ndjson'), '--rejects', path(name)],
        ])
          expect(await runToEnd([...command, '--force', '--url', `sqlite:${path(store)}`])).toEqual({
            code: 2,
            output: `plant-store: ${path(name)} is a file of the store itself: pass another path\n`,
          });
    expect(await readFile(path('plants.db'))).toEqual(before);
  });

  test('writes to a named pipe with --force', async () => {
    const { path, DATABASE_URL } = await storeWithAPlant();
    // Opened for reading and writing, so that it does not matter who opens it first.
    const reader = run('bash', ['-c', 'exec 3<>"$0"; echo ready; read -r line <&3; echo "$line"', path('pipe')], {});
    onTestFinished(() => void reader.process.kill());
    await reader.printed(/ready/);
    const exported = await runToEnd(['export', path('pipe'), '--format', 'ndjson', '--force'], { DATABASE_URL });
    expect(exported).toEqual({ code: 0, output: 'plants written: 1\n' });
    expect(await reader.ended).toBe(0);
    expect(reader.output()).toBe(`ready\n${plants(1, 1)}`);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('says that %s interrupted it', async (signal) => {
    const { DATABASE_URL } = await storeWithAPlant();
    const exporting = startInProcess(['export'], { DATABASE_URL }, { isStalled: true });
    await expect.poll(exporting.output).toBe(plants(1, 1));
    exporting.kill(signal);
    expect({ code: await exporting.ended, output: exporting.output() }).toEqual({
      code: 3,
      output: `${plants(1, 1)}plant-store: interrupted; the export is incomplete: run it again\n`,
    });
  });
});

describe('plant-store import', () => {
  test('rejects an invalid configuration with exit code 2', async () => {
    const { path } = await storeWithAPlant();
    const environment = { DATABASE_URL: 'no-such-engine://host', BODY_LIMIT: 'x' };
    for (const args of [['import', path('in.ndjson')], ['export']])
      expect(await runToEnd(args, environment)).toEqual({
        code: 2,
        output: expect.stringMatching(/DATABASE_URL: expected .*\n {2}BODY_LIMIT: expected/),
      });
  });

  test('writes rejects beside the file, for their owner only, in the place of those of an earlier import', async () => {
    const { path, DATABASE_URL } = await storeWithAPlant();
    const rejects = path('in.ndjson.rejects.ndjson');
    await writeFile(path('in.ndjson'), `${plants(1, 1)}hello\n`);
    await writeFile(path('notes'), 'my notes');
    await symlink('notes', rejects);
    for (let time = 1; time <= 2; time += 1) {
      expect((await runToEnd(['import', path('in.ndjson')], { DATABASE_URL })).code).toBe(1);
      expect(await readFile(rejects, 'utf8')).toBe('{"line":2,"reason":"the line is not valid JSON"}\n');
      expect(await modeOf(rejects)).toBe(0o600);
    }
    expect(await readFile(path('notes'), 'utf8')).toBe('my notes');
    await writeFile(path('in.ndjson'), plants(1, 1));
    expect((await runToEnd(['import', path('in.ndjson')], { DATABASE_URL })).code).toBe(0);
    await expect(stat(rejects)).rejects.toThrow('ENOENT');
  });

  test.each([
    ['notes', [], 'exists: pass --force'],
    ['pipe', [], 'is not a regular file: pass another path, or --force'],
    ['pipe', ['--force'], '(ENXIO)'],
    ['directory.rejects.ndjson', [], 'is a directory'],
    ['in.ndjson', ['--force'], 'is the file to import: pass another file with --rejects'],
    ['link', ['--force'], 'is the file to import'],
  ])('does not write rejects to %s %j', async (name, options, message) => {
    const { path, DATABASE_URL } = await storeWithAPlant();
    await writeFile(path('notes'), 'my notes');
    await symlink('in.ndjson', path('link'));
    await mkdir(path('directory.rejects.ndjson'));
    const args = ['import', path('in.ndjson'), '--rejects', path(name), ...options];
    const { code, output } = await runToEnd(args, { DATABASE_URL });
    expect({ code, output }).toEqual({ code: 2, output: expect.stringContaining(message) });
    expect(await readFile(path('notes'), 'utf8')).toBe('my notes');
    expect(await readFile(path('in.ndjson'), 'utf8')).toBe(plants(1, 1));
  });

  test.each([
    ['pipe', 'is not a regular file: pass the path of one, or - for standard input'],
    ['.', 'is not a regular file'],
    ['/dev/zero', 'is not a regular file'],
    ['nothing', 'no such file'],
  ])('does not read %s', async (name, message) => {
    const { path, DATABASE_URL } = await storeWithAPlant();
    const file = name.startsWith('/') ? name : path(name);
    const { code, output } = await runToEnd(['import', file, '--format', 'csv'], { DATABASE_URL });
    expect({ code, output }).toEqual({ code: 2, output: expect.stringContaining(message) });
  });

  test('stops where rejects cannot be written, and says what was done', async () => {
    const { path, DATABASE_URL } = await storeWithAPlant();
    // Every write to it fails with ENOSPC.
    await writeFile(path('in.ndjson'), `${plants(1, 3)}hello\n${plants(4, 5)}`);
    const { code, output } = await runToEnd(['import', path('in.ndjson'), '--rejects', '/dev/full'], { DATABASE_URL });
    expect({ code, output }).toEqual({
      code: 3,
      output: expect.stringMatching(
        /^5 stored .*\n.*stopped: cannot write \/dev\/full: ENOSPC.*; run the same import again$/m,
      ),
    });
  });

  test('leaves a file alone that appears where the rejects go, and says what was done', async () => {
    const { directory, path, DATABASE_URL } = await storeWithAPlant();
    const stdin = new PassThrough();
    const args = ['import', '-', '--format', 'ndjson', '--rejects', path('rejects')];
    const importing = startInProcess(args, { DATABASE_URL }, { stdin });
    await expect
      .poll(() => readdir(directory), patiently)
      .toContainEqual(expect.stringMatching(/^rejects.*incomplete$/));
    await writeFile(path('rejects'), 'another');
    stdin.end(`${plants(1, 2)}hello\n`);
    expect({ code: await importing.ended, output: importing.output() }).toEqual({
      code: 3,
      output: expect.stringMatching(/^2 stored \(1 already\), 1 rejected .*\n.*rejects exists: pass --force/),
    });
    expect(await readFile(path('rejects'), 'utf8')).toBe('another');
  });

  test('stops at CSV that cannot be parsed further', async () => {
    const { path, DATABASE_URL } = await storeWithAPlant();
    await writeFile(path('in.csv'), 'id,name\n2,a\n3,"b"c\n4,d\n');
    const { code, output } = await runToEnd(['import', path('in.csv')], { DATABASE_URL });
    expect({ code, output }).toEqual({ code: 3, output: expect.stringMatching(/^1 stored, 0 rejected/m) });
    expect(output).toContain('plant-store: stopped: the record after line 2: Invalid Closing Quote');
  });

  test('stops if nearly all lines are rejected, unless it is to go on', async () => {
    const { path, DATABASE_URL } = await storeWithAPlant();
    await writeFile(path('in.ndjson'), 'x\n'.repeat(10_000));
    const lines = async () => (await readFile(path('in.ndjson.rejects.ndjson'), 'utf8')).split('\n').length - 1;
    const stopped = await runToEnd(['import', path('in.ndjson')], { DATABASE_URL });
    expect(stopped).toEqual({
      code: 3,
      output: expect.stringMatching(/stopped: 1000 of 1000 lines are rejected; fix the file, or pass --keep-going;/),
    });
    expect(await lines()).toBeLessThan(2_100);
    const { code } = await runToEnd(['import', path('in.ndjson'), '--keep-going'], { DATABASE_URL });
    expect({ code, lines: await lines() }).toEqual({ code: 1, lines: 10_000 });
  });

  test.each([
    ['a directory', '.', 'is no regular file (Directory): set another path'],
    ['a file of another kind', 'in.ndjson', 'the path leads to a file of another kind'],
  ])('does not retry if the path of the store is %s', async (_what, name, message) => {
    const { path } = await storeWithAPlant();
    await writeFile(path('in.ndjson'), plants(1, 1_000));
    const DATABASE_URL = `sqlite:${path(name)}`;
    const { code, output } = await runToEnd(['import', path('in.ndjson'), '--retry-for', '1'], { DATABASE_URL });
    expect({ code, output }).toEqual({ code: 2, output: expect.stringContaining(message) });
    expect(await readFile(path('in.ndjson'), 'utf8')).toBe(plants(1, 1_000));
  });

  test('does not use a store whose schema is out of date, if it may not migrate it', async () => {
    const { path } = await storeWithAPlant();
    const environment = { DATABASE_URL: `sqlite:${path('new.db')}`, MIGRATE: 'off' };
    expect(await runToEnd(['import', path('in.ndjson')], environment)).toEqual({
      code: 2,
      output: expect.stringMatching(/run "plant-store migrate up" or set MIGRATE=auto\n$/),
    });
  });

  const unreachable = { DATABASE_URL: 'postgres://user:sesame@127.0.0.1:1/plants?sslmode=disable' };

  test('retries a store that is unreachable at the start, then gives up with exit code 3', async () => {
    const { path } = await storeWithAPlant();
    const { code, output } = await runToEnd(['import', path('in.ndjson'), '--retry-for', '1'], unreachable);
    expect({ code, output }).toEqual({
      code: 3,
      output: expect.stringMatching(
        /^plant-store: retrying for up to 1 s: .*ECONNREFUSED.*\nplant-store: .*ECONNREFUSED.*nothing was imported: run the same import again\n$/,
      ),
    });
    expect(output).not.toContain('sesame');
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('ends at %s while it retries', async (signal) => {
    const { path } = await storeWithAPlant();
    const importing = startInProcess(['import', path('in.ndjson')], unreachable);
    await expect.poll(importing.output).toContain('retrying');
    importing.kill(signal);
    expect(await importing.ended).toBe(3);
    expect(importing.output()).toMatch(/^plant-store: interrupted; nothing was imported: run the same import again$/m);
  });
});
