import {
  chmod,
  copyFile,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { plants } from '../imports-and-exports.ts';
import { runToEnd, startInProcess } from '../run-in-process.ts';
import { environmentOfTheRun, run } from '../running-process.ts';
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
  return { directory, path, DATABASE_URL: `sqlite:${path('plants.db')}` };
}

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describe('plant-store export', () => {
  test('creates a file that only its owner can read', async () => {
    const { directory, path, DATABASE_URL } = await storeWithAPlant();
    expect(await runToEnd(['export', path('out.ndjson')], { DATABASE_URL })).toEqual({
      code: 0,
      output: 'plants written: 1\n',
    });
    expect(await readFile(path('out.ndjson'), 'utf8')).toBe(plants(1, 1));
    expect(await modeOf(path('out.ndjson'))).toBe(0o600);
    expect(await drafts(directory)).toEqual([]);
  });

  test('replaces a file only with --force, and then not the link that leads to it, and keeps its permissions', async () => {
    const { directory, path, DATABASE_URL } = await storeWithAPlant();
    await writeFile(path('out.ndjson'), 'old');
    await chmod(path('out.ndjson'), 0o640);
    await symlink('out.ndjson', path('link.ndjson'));
    for (const name of ['out.ndjson', 'link.ndjson'])
      expect(await runToEnd(['export', path(name)], { DATABASE_URL })).toEqual({
        code: 2,
        output: `plant-store: ${path(name)} exists: pass --force to replace it\n`,
      });
    expect(await readFile(path('out.ndjson'), 'utf8')).toBe('old');

    const forced = await runToEnd(['export', path('link.ndjson'), '--force'], { DATABASE_URL });
    expect(forced).toEqual({ code: 0, output: 'plants written: 1\n' });
    expect(await readFile(path('out.ndjson'), 'utf8')).toBe(plants(1, 1));
    expect(await modeOf(path('out.ndjson'))).toBe(0o640);
    expect((await lstat(path('link.ndjson'))).isSymbolicLink()).toBe(true);
    expect(await drafts(directory)).toEqual([]);
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
      for (const name of names) {
        const args = ['export', path(name), '--force', '--format', 'csv', '--url', `sqlite:${path(store)}`];
        expect(await runToEnd(args)).toEqual({
          code: 2,
          output: `plant-store: ${path(name)} is a file of the store itself: pass another path\n`,
        });
      }
    expect(await readFile(path('plants.db'))).toEqual(before);
    await rm(path('hard.db'));
    const rejects = ['import', path('in.ndjson'), '--rejects', path('plants.db-journal')];
    expect(await runToEnd([...rejects, '--url', `sqlite:${path('link.db')}`])).toEqual({
      code: 2,
      output: expect.stringContaining('is a file of the store: pass another file with --rejects'),
    });
  });

  test('writes to a named pipe', async () => {
    const { path, DATABASE_URL } = await storeWithAPlant();
    await run('mkfifo', [path('pipe')], {}).ended;
    const reader = run('cat', [path('pipe')], {});
    onTestFinished(() => void reader.process.kill());
    const exported = await runToEnd(['export', path('pipe'), '--format', 'ndjson'], { DATABASE_URL });
    expect(exported).toEqual({ code: 0, output: 'plants written: 1\n' });
    expect((await stat(path('pipe'))).isFIFO()).toBe(true);
    expect(await reader.ended).toBe(0);
    expect(reader.output()).toBe(plants(1, 1));
  });

  test.each(['SIGINT', 'SIGHUP'] as const)('says that %s interrupted it', async (signal) => {
    const { DATABASE_URL } = await storeWithAPlant();
    const exporting = startInProcess(['export'], { DATABASE_URL }, { isStalled: true });
    await expect.poll(exporting.output).toBe(plants(1, 1));
    exporting.kill(signal);
    expect({ code: await exporting.ended, output: exporting.output() }).toEqual({
      code: 3,
      output: `${plants(1, 1)}plant-store: interrupted; the export is incomplete: run it again\n`,
    });
  });

  test.each(['nowhere/out.ndjson', '.'])('says that %s cannot be written, exit code 2', async (name) => {
    const { path, DATABASE_URL } = await storeWithAPlant();
    const { code, output } = await runToEnd(['export', path(name), '--format', 'ndjson'], { DATABASE_URL });
    expect({ code, output }).toEqual({
      code: 2,
      output: expect.stringMatching(/cannot write .* \(E\w+\): pass the/),
    });
  });

  test('does not follow a link that leads nowhere', async () => {
    const { path, DATABASE_URL } = await storeWithAPlant();
    await symlink('nowhere', path('link.csv'));
    const { code, output } = await runToEnd(['export', path('link.csv'), '--force'], { DATABASE_URL });
    expect({ code, output }).toEqual({ code: 2, output: expect.stringContaining('is a link to a file that does not') });
    await expect(stat(path('nowhere'))).rejects.toThrow('ENOENT');
  });

  async function drafts(directory: string): Promise<string[]> {
    return (await readdir(directory)).filter((name) => name.includes('incomplete'));
  }
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

  test('creates the rejects before it reads a line, readable by their owner, and removes them if there are none', async () => {
    const { path, DATABASE_URL } = await storeWithAPlant();
    const stdin = new PassThrough();
    const importing = startInProcess(
      ['import', '-', '--format', 'ndjson', '--rejects', path('rejects')],
      { DATABASE_URL },
      { stdin },
    );
    await expect.poll(() => modeOf(path('rejects')).catch(() => undefined), patiently).toBe(0o600);
    stdin.end(plants(2, 2));
    expect(await importing.ended).toBe(0);
    await expect(stat(path('rejects'))).rejects.toThrow('ENOENT');
  });

  test.each([
    ['hello\n', 1],
    [plants(2, 2), 0],
  ])('neither writes to what is laid at the path of the rejects later, nor removes it: %j', async (text, code) => {
    const { path, DATABASE_URL } = await storeWithAPlant();
    await writeFile(path('notes'), 'my notes');
    const stdin = new PassThrough();
    const importing = startInProcess(
      ['import', '-', '--format', 'ndjson', '--rejects', path('rejects')],
      { DATABASE_URL },
      { stdin },
    );
    await expect.poll(() => modeOf(path('rejects')).catch(() => undefined), patiently).toBeDefined();
    await rm(path('rejects'));
    await symlink('notes', path('rejects'));
    stdin.end(text);
    expect(await importing.ended).toBe(code);
    expect(await readFile(path('notes'), 'utf8')).toBe('my notes');
    expect((await lstat(path('rejects'))).isSymbolicLink()).toBe(true);
  });

  test('writes rejects to an open descriptor of a file, and leaves its path alone', async () => {
    const { path, DATABASE_URL } = await storeWithAPlant();
    await writeFile(path('in.ndjson'), 'nonsense\n');
    await using file = await open(path('errors.ndjson'), 'w');
    const device = `/dev/fd/${file.fd}`;
    expect((await runToEnd(['import', path('in.ndjson'), '--rejects', device], { DATABASE_URL })).code).toBe(1);
    expect(await readFile(path('errors.ndjson'), 'utf8')).toMatch(/^\{"line":1,"reason":".*"\}\n$/);
  });

  test('replaces the rejects of an earlier import, or appends to them if it continues that', async () => {
    const { path, DATABASE_URL } = await storeWithAPlant();
    const rejects = path('in.ndjson.rejects.ndjson');
    const old = '{"line":1,"reason":"old"}\n';
    const added = '{"line":2,"reason":"the line is not valid JSON: column 1"}\n';
    await writeFile(rejects, old, { mode: 0o644 });
    await writeFile(path('in.ndjson'), `${plants(1, 1)}hello\n`);
    expect((await runToEnd(['import', path('in.ndjson'), '--from-line', '2'], { DATABASE_URL })).code).toBe(1);
    expect(await readFile(rejects, 'utf8')).toBe(old + added);
    expect((await runToEnd(['import', path('in.ndjson')], { DATABASE_URL })).code).toBe(1);
    expect(await readFile(rejects, 'utf8')).toBe(added);
    expect(await modeOf(rejects)).toBe(0o600);
    await writeFile(path('in.ndjson'), plants(1, 1));
    expect((await runToEnd(['import', path('in.ndjson')], { DATABASE_URL })).code).toBe(0);
    await expect(stat(rejects)).rejects.toThrow('ENOENT');
  });

  test.each(['', '--dry-run', '--from-line=2'])(
    'does not overwrite a file that is not the rejects of an import, nor follow a link: %s',
    async (option) => {
      const { path, DATABASE_URL } = await storeWithAPlant();
      await writeFile(path('notes'), 'my notes');
      await symlink('notes', path('link'));
      await symlink('nowhere', path('dangling'));
      await mkdir(path('directory'));
      for (const [name, message] of [
        ['notes', 'is not a rejects file'],
        ['link', 'is a symbolic link'],
        ['dangling', 'is a symbolic link'],
        ['directory', '(EISDIR)'],
      ] as const) {
        const args = ['import', path('in.ndjson'), '--rejects', path(name), ...(option ? [option] : [])];
        const { code, output } = await runToEnd(args, { DATABASE_URL });
        expect({ code, output }).toEqual({ code: 2, output: expect.stringContaining(`${path(name)} ${message}`) });
      }
      expect(await readFile(path('notes'), 'utf8')).toBe('my notes');
      await expect(stat(path('nowhere'))).rejects.toThrow('ENOENT');
    },
  );

  test('stops where a reject cannot be written, and says what was done and where to continue', async () => {
    const { path, DATABASE_URL } = await storeWithAPlant();
    // Every write to it fails with ENOSPC.
    await writeFile(path('in.ndjson'), `${plants(1, 3)}hello\n${plants(4, 5)}`);
    const { code, output } = await runToEnd(['import', path('in.ndjson'), '--rejects', '/dev/full'], { DATABASE_URL });
    expect({ code, output }).toEqual({
      code: 3,
      output: expect.stringMatching(/^\d stored, 0 rejected.*\n.*stopped at line 4: cannot write \/dev\/full /m),
    });
    expect(output).toMatch(/--from-line 4\n$/);
  });

  test.each([
    ['quotes that do not match', '"b"c', 'the quote that opens here is closed on line 3 within a field'],
    ['a record that is too long', 'b'.repeat(300), 'longer than the 200 bytes of BODY_LIMIT; raise it'],
  ])('stops at CSV that cannot be parsed beyond %s', async (_what, field, reason) => {
    const { path, DATABASE_URL } = await storeWithAPlant();
    await writeFile(path('in.csv'), `id,name\n2,a\n3,${field}\n4,d\n`);
    const { code, output } = await runToEnd(['import', path('in.csv')], { DATABASE_URL, BODY_LIMIT: '200' });
    expect({ code, output }).toEqual({ code: 3, output: expect.stringMatching(/^1 stored, 0 rejected/m) });
    expect(output).toContain(`plant-store: stopped at line 3: ${reason}`);
    expect(output).toMatch(/; fix it, then run the same import again\n$/);
  });

  test('does not overwrite the imported file with the rejects, under whatever name', async () => {
    const { path, DATABASE_URL } = await storeWithAPlant();
    await symlink('in.ndjson', path('link.ndjson'));
    const message = (name: string) =>
      `plant-store: ${path(name)} is the file to import: pass another file with --rejects\n`;
    for (const name of ['in.ndjson', 'link.ndjson'])
      expect(await runToEnd(['import', path('in.ndjson'), '--rejects', path(name)], { DATABASE_URL })).toEqual({
        code: 2,
        output: message(name),
      });
    // Standard input, which is the process's own.
    const main = join(import.meta.dirname, '../../src/main.ts');
    const args = [
      '--conditions=development',
      main,
      'import',
      '-',
      '--format',
      'ndjson',
      '--rejects',
      path('link.ndjson'),
    ];
    const env = { ...environmentOfTheRun(), DATABASE_URL, IN: path('in.ndjson') };
    const { output, ended } = run('bash', ['-c', '"$0" "$@" <"$IN"', process.execPath, ...args], { env });
    expect({ code: await ended, output: output() }).toEqual({ code: 2, output: message('link.ndjson') });
    expect(await readFile(path('in.ndjson'), 'utf8')).toBe(plants(1, 1));
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

  test('does not wait for a reader of a pipe that lies where the rejects go', async () => {
    const { path, DATABASE_URL } = await storeWithAPlant();
    await run('mkfifo', [path('pipe')], {}).ended;
    const importing = runToEnd(['import', path('in.ndjson'), '--rejects', path('pipe')], { DATABASE_URL });
    expect(await importing).toEqual({ code: 2, output: expect.stringContaining('pipe (ENXIO): pass another file') });
  });

  test('retries a store that is unreachable at the start, then gives up with exit code 3', async () => {
    const { path } = await storeWithAPlant();
    const started = performance.now();
    const { code, output } = await runToEnd(['import', path('in.ndjson'), '--retry-for', '1'], {
      DATABASE_URL: 'postgres://user:sesame@127.0.0.1:1/plants',
    });
    expect({ code, output }).toEqual({
      code: 3,
      output: expect.stringMatching(/ECONNREFUSED.*nothing was imported: run the same import again\n$/),
    });
    expect(performance.now() - started).toBeGreaterThan(300);
    expect(output).not.toContain('sesame');
  });
});
