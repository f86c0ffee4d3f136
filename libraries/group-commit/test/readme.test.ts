import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openLog } from './example.ts';

const read = (name: string) => readFile(join(import.meta.dirname, name), 'utf8');

test('the example of the README is this one, and it stores each line', async () => {
  expect(await read('../README.md')).toContain(`\`\`\`ts\n${await read('example.ts')}\`\`\``);
  const folder = await mkdtemp(join(tmpdir(), 'group-commit-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const log = await openLog(join(folder, 'log'));
  expect(await Promise.all(['one', 'two'].map((line) => log.submit(line)))).toEqual(['stored', 'stored']);
  await log.close();
  expect(await readFile(join(folder, 'log'), 'utf8')).toBe('one\ntwo\n');
});
