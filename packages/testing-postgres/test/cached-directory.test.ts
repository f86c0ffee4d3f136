import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cachedDirectory } from '@plant-store/testing-servers';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';

let directory: string;
let cache: string;
let program: string;
beforeEach(() => {
  make.mockClear();
  directory = mkdtempSync(join(tmpdir(), 'cached-directory-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  cache = join(directory, 'cache');
  program = join(directory, 'program');
  writeFileSync(program, 'first version');
});

const make = vi.fn<(path: string) => void>((path) => {
  mkdirSync(path);
  writeFileSync(join(path, 'made'), 'by the program');
});

/** What is at a path once it was filled. */
async function filled(name: string, { parameters = ['--one'], make: made = make } = {}): Promise<string> {
  const path = join(directory, name);
  await cachedDirectory(path, { program, parameters }, async () => made(path), cache);
  return readFileSync(join(path, 'made'), 'utf8');
}

test('what a program makes is copied the next time', async () => {
  expect(await filled('first')).toBe('by the program');
  // Whoever uses it changes it.
  writeFileSync(join(directory, 'first/made'), 'changed');
  expect(await filled('second')).toBe('by the program');
  expect(make).toHaveBeenCalledTimes(1);
});

test.each([
  ['with other parameters', () => filled('second', { parameters: ['--another'] })],
  [
    'by another program at the same path',
    () => {
      writeFileSync(program, 'the second version');
      return filled('second');
    },
  ],
])('%s it is made again, and what was cached is removed', async (_, fillAgain) => {
  await filled('first');
  const before = readdirSync(cache);
  expect(await fillAgain()).toBe('by the program');
  expect(make).toHaveBeenCalledTimes(2);
  expect(readdirSync(cache)).toEqual([expect.not.stringMatching(String(before))]);
});

test('what cannot be copied is made again', async () => {
  await filled('first');
  const [name] = readdirSync(cache);
  const entry = join(cache, String(name));
  rmSync(entry, { recursive: true });
  // Nobody can copy a pipe, not even root.
  execFileSync('mkfifo', [entry]);
  expect(await filled('second')).toBe('by the program');
  expect(make).toHaveBeenCalledTimes(2);
});

test('several may be the first: each makes its own, and one is cached', async () => {
  const names = ['first', 'second', 'third'];
  expect(await Promise.all(names.map((name) => filled(name)))).toEqual(Array(3).fill('by the program'));
  expect(readdirSync(cache)).toHaveLength(1);
});

test('what could not be made is not cached', async () => {
  const fails = vi.fn<() => never>(() => {
    throw new Error('no space left');
  });
  await expect(filled('first', { make: fails })).rejects.toThrow('no space left');
  expect(await filled('second')).toBe('by the program');
});
