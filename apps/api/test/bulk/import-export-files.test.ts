import { once } from 'node:events';
import { chmod, lstat, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { plants, runToEnd } from '../imports-and-exports.ts';
import { run } from '../running-process.ts';
import { plantStore, scratchDirectory } from '../running-service.ts';

async function storeWithAPlant() {
  const directory = await scratchDirectory(onTestFinished);
  const path = (name: string) => join(directory, name);
  const DATABASE_URL = `sqlite:${path('plants.db')}`;
  await writeFile(path('in.ndjson'), plants(1, 1));
  expect((await runToEnd(['import', path('in.ndjson')], { DATABASE_URL })).code).toBe(0);
  return { directory, path, DATABASE_URL };
}

describe('plant-store export', () => {
  test('replaces a file, not the link that leads to it, and keeps its permissions', async () => {
    const { directory, path, DATABASE_URL } = await storeWithAPlant();
    await writeFile(path('out.ndjson'), 'old');
    await chmod(path('out.ndjson'), 0o600);
    await symlink('out.ndjson', path('link.ndjson'));
    expect(await runToEnd(['export', path('link.ndjson')], { DATABASE_URL })).toEqual({ code: 0, output: '' });
    expect(await readFile(path('out.ndjson'), 'utf8')).toBe(plants(1, 1));
    expect((await stat(path('out.ndjson'))).mode & 0o777).toBe(0o600);
    expect((await lstat(path('link.ndjson'))).isSymbolicLink()).toBe(true);
    expect((await readdir(directory)).filter((name) => name.includes('incomplete'))).toEqual([]);
  });

  test('writes to a named pipe', async () => {
    const { path, DATABASE_URL } = await storeWithAPlant();
    await run('mkfifo', [path('pipe')], {}).ended;
    const reader = run('cat', [path('pipe')], {});
    onTestFinished(() => void reader.process.kill());
    const exported = await runToEnd(['export', path('pipe'), '--format', 'ndjson'], { DATABASE_URL });
    expect(exported).toEqual({ code: 0, output: '' });
    expect((await stat(path('pipe'))).isFIFO()).toBe(true);
    expect(await reader.ended).toBe(0);
    expect(reader.output()).toBe(plants(1, 1));
  });

  test.each(['nowhere/out.ndjson', '.'])('says that %s cannot be written, exit code 2', async (name) => {
    const { path, DATABASE_URL } = await storeWithAPlant();
    const { code, output } = await runToEnd(['export', path(name), '--format', 'ndjson'], { DATABASE_URL });
    expect({ code, output }).toEqual({
      code: 2,
      output: expect.stringMatching(/cannot write .* \(E\w+\): pass the/),
    });
  });
});

describe('plant-store import', () => {
  test('rejects a directory and an invalid configuration with exit code 2', async () => {
    const { directory, path, DATABASE_URL } = await storeWithAPlant();
    expect(await runToEnd(['import', directory, '--format', 'ndjson'], { DATABASE_URL })).toEqual({
      code: 2,
      output: expect.stringContaining('is a directory: pass the path of a file'),
    });
    const environment = { DATABASE_URL: 'mysql://host', BODY_LIMIT: 'x' };
    for (const args of [['import', path('in.ndjson')], ['export']])
      expect(await runToEnd(args, environment)).toEqual({
        code: 2,
        output: expect.stringMatching(/DATABASE_URL: expected .*\n {2}BODY_LIMIT: expected/),
      });
  });

  test('removes the rejects of an earlier import, unless it continues that', async () => {
    const { path, DATABASE_URL } = await storeWithAPlant();
    const old = '{"line":1,"reason":"old"}\n';
    await writeFile(path('in.ndjson.rejects.ndjson'), old);
    await runToEnd(['import', path('in.ndjson'), '--from-line', '2'], { DATABASE_URL });
    expect(await readFile(path('in.ndjson.rejects.ndjson'), 'utf8')).toBe(old);
    expect((await runToEnd(['import', path('in.ndjson')], { DATABASE_URL })).code).toBe(0);
    await expect(stat(path('in.ndjson.rejects.ndjson'))).rejects.toThrow('ENOENT');
  });

  test.each(['', '--dry-run', '--from-line=2'])(
    'does not overwrite a file that is not the rejects of an import: %s',
    async (option) => {
      const { path, DATABASE_URL } = await storeWithAPlant();
      await writeFile(path('notes'), 'my notes');
      await symlink('notes', path('link'));
      for (const name of ['notes', 'link']) {
        const args = ['import', path('in.ndjson'), '--rejects', path(name), ...(option ? [option] : [])];
        expect(await runToEnd(args, { DATABASE_URL })).toEqual({
          code: 2,
          output: `plant-store: ${path(name)} is not a rejects file: pass another file with --rejects\n`,
        });
      }
      expect(await readFile(path('notes'), 'utf8')).toBe('my notes');
    },
  );

  test('stops where a reject cannot be written, and says what was done and where to continue', async () => {
    const { path, DATABASE_URL } = await storeWithAPlant();
    // Every write to it fails with ENOSPC.
    await writeFile(path('in.ndjson'), `${plants(1, 3)}hello\n${plants(4, 5)}`);
    const { code, output } = await runToEnd(['import', path('in.ndjson'), '--rejects', '/dev/full'], { DATABASE_URL });
    expect({ code, output }).toEqual({
      code: 3,
      output: expect.stringMatching(/^3 stored, 0 rejected.*\n.*stopped at line 4: cannot write \/dev\/full /),
    });
    expect(output).toMatch(/--from-line 4\n$/);
  });

  test.each([
    ['quotes that do not match', '"b"c', 'Invalid Closing Quote'],
    ['a record that is too long', 'b'.repeat(300), 'longer than the 200 bytes of BODY_LIMIT; raise it'],
  ])('stops at CSV that cannot be parsed beyond %s', async (_what, field, reason) => {
    const { path, DATABASE_URL } = await storeWithAPlant();
    await writeFile(path('in.csv'), `id,name\n2,a\n3,${field}\n4,d\n`);
    const { code, output } = await runToEnd(['import', path('in.csv')], { DATABASE_URL, BODY_LIMIT: '200' });
    expect({ code, output }).toEqual({ code: 3, output: expect.stringMatching(/^1 stored, 0 rejected/) });
    expect(output).toContain(`plant-store: stopped at line 3: ${reason}`);
    expect(output).toMatch(/; fix it, then run the same import again\n$/);
  });

  test.each(['in.ndjson', '-'])('does not overwrite the imported file with the rejects: %s', async (name) => {
    const { path, DATABASE_URL } = await storeWithAPlant();
    await symlink('in.ndjson', path('link.ndjson'));
    const main = join(import.meta.dirname, '../../src/main.ts');
    const args = ['--conditions=development', main, 'import', name === '-' ? name : path(name)];
    const { output, ended } = run(
      'bash',
      ['-c', '"$0" "$@" <"$IN"', process.execPath, ...args, '--rejects', path('link.ndjson')],
      {
        env: { ...process.env, DATABASE_URL, IN: path('in.ndjson') },
      },
    );
    expect({ code: await ended, output: output() }).toEqual({
      code: 2,
      output: `plant-store: ${path('link.ndjson')} is the file to import: pass another file with --rejects\n`,
    });
    expect(await readFile(path('in.ndjson'), 'utf8')).toBe(plants(1, 1));
  });

  test.each([
    ['a directory', '.', 'check that the path leads to a file'],
    ['a file of another kind', 'in.ndjson', 'the path leads to a file of another kind'],
  ])('does not retry if the path of the store is %s', async (_what, name, message) => {
    const { path } = await storeWithAPlant();
    await writeFile(path('in.ndjson'), plants(1, 1_000));
    const DATABASE_URL = `sqlite:${path(name)}`;
    const { code, output } = await runToEnd(['import', path('in.ndjson'), '--retry-for', '1'], { DATABASE_URL });
    expect({ code, output }).toEqual({ code: 2, output: expect.stringContaining(message) });
    expect(await readFile(path('in.ndjson'), 'utf8')).toBe(plants(1, 1_000));
  });

  test('retries a store that is unreachable at the start, then gives up with exit code 3', async () => {
    const { path } = await storeWithAPlant();
    const started = performance.now();
    const importing = plantStore(['import', path('in.ndjson'), '--retry-for', '2'], {
      DATABASE_URL: 'postgres://user:sesame@127.0.0.1:1/plants',
    });
    await once(importing.process, 'exit');
    expect(await importing.ended).toBe(3);
    expect(performance.now() - started).toBeGreaterThan(1_000);
    expect(importing.output()).toMatch(/ECONNREFUSED.*nothing was imported: run the same import again\n$/);
    expect(importing.output()).not.toContain('sesame');
  });
});
