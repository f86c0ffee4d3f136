import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runToEnd } from '../run-in-process.ts';
import { scratchDirectory } from '../running-service.ts';

test('verify-store writes both beside its output, and says before the run which file it cannot write', async ({
  onTestFinished,
}) => {
  const directory = await scratchDirectory(onTestFinished);
  const [junit, html] = [join(directory, 'report.xml'), join(directory, 'report.html')];
  const checkSome = ['verify-store', '--url', 'memory:', '--only', 'PR-1,PR-4'];
  expect((await runToEnd([...checkSome, '--junit', junit, '--html', html])).code).toBe(0);
  expect(await readFile(junit, 'utf8')).toContain('<property name="subject" value="memory:"/>');
  expect(await readFile(html, 'utf8')).toContain('every promised clause that was checked passed');

  const { code, output } = await runToEnd([...checkSome, '--junit', join(directory, 'missing', 'report.xml')]);
  expect({ code, output }).toEqual({
    code: 2,
    output: expect.stringMatching(/^plant-store: --junit: cannot write .*missing.*ENOENT.*\n$/),
  });
});

test('a report replaces a file only with --force, and never one of the store', async ({ onTestFinished }) => {
  const directory = await scratchDirectory(onTestFinished);
  const [store, html] = [join(directory, 'plants.db'), join(directory, 'report.html')];
  await writeFile(store, 'plants');
  await writeFile(html, 'earlier');
  const verify = (...options: string[]) =>
    runToEnd(['verify-store', '--url', `sqlite:${store}`, '--only', 'PR-1', ...options]);
  for (const [options, fault] of [
    [['--html', html], 'report.html exists: pass --force to replace it'],
    [['--html', store, '--force'], 'is a file of the store itself'],
    [['--html', html, '--junit', html], 'name the same file'],
  ] as const)
    expect(await verify(...options)).toEqual({ code: 2, output: expect.stringContaining(fault) });
  expect(await readFile(html, 'utf8')).toBe('earlier');
  expect(await readFile(store, 'utf8')).toBe('plants');
  expect((await verify('--html', html, '--junit', join(directory, 'report.xml'), '--force')).code).toBe(0);
  expect(await readFile(html, 'utf8')).toContain('<h1>');
  expect((await stat(join(directory, 'report.xml'))).mode & 0o777).toBe(0o600);
  expect(await readdir(directory)).toEqual(['plants.db', 'report.html', 'report.xml']);
});
