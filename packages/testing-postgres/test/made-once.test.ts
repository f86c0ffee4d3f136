import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { madeOnce } from '@plant-store/testing-servers';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'made-once-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
});

const make = vi.fn<(path: string) => void>((path) => {
  mkdirSync(path);
  writeFileSync(join(path, 'made'), 'by the program');
});

/** What is at a path once it was filled. */
async function filled(name: string, { parameters = ['--one'], make: made = make } = {}): Promise<string> {
  const path = join(directory, name);
  const making = { program: process.execPath, parameters };
  await madeOnce(path, making, async () => made(path), join(directory, 'kept'));
  return readFileSync(join(path, 'made'), 'utf8');
}

test('what a program makes is copied the next time; with other parameters it is made', async () => {
  make.mockClear();
  expect(await filled('first')).toBe('by the program');
  // Whoever uses it changes it.
  writeFileSync(join(directory, 'first/made'), 'changed');
  expect(await filled('second')).toBe('by the program');
  expect(make).toHaveBeenCalledTimes(1);
  await filled('third', { parameters: ['--another'] });
  expect(make).toHaveBeenCalledTimes(2);
});

test('several may be the first: each makes its own, and one is kept', async () => {
  const names = ['first', 'second', 'third'];
  expect(await Promise.all(names.map((name) => filled(name)))).toEqual(Array(3).fill('by the program'));
  expect(readdirSync(join(directory, 'kept'))).toHaveLength(1);
});

test('what could not be made is not kept', async () => {
  const fails = vi.fn<() => never>(() => {
    throw new Error('no space left');
  });
  await expect(filled('first', { make: fails })).rejects.toThrow('no space left');
  expect(await filled('second')).toBe('by the program');
});
