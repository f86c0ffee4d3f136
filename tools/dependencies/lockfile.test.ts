import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lockfileFaults } from './lockfile-faults.ts';

const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
const lockfile = read('pnpm-lock.yaml');

test('every package comes from the registry, with its hash', () => {
  expect(lockfileFaults(lockfile)).toEqual([]);
});

test('no file names another registry', () => {
  expect(read('.npmrc')).toBe('script-shell=/bin/bash\n');
  expect(read('pnpm-workspace.yaml')).not.toMatch(/regist(ry|ries):/);
});

const zod = /(\n {2}zod@)([\d.]+)(:\n {4}resolution: \{)(integrity: [^}]*)(\})/;
const [entry = ''] = zod.exec(lockfile) ?? [];
/** A lockfile with this entry alone. */
const withZod = `packages:${entry}\n`;

test('an entry of the lockfile is accepted', () => {
  expect(entry).not.toBe('');
  expect(lockfileFaults(withZod)).toEqual([]);
});

test.each([
  ['a tarball from elsewhere', '$1$2$3$4, tarball: http://127.0.0.1/zod.tgz$5'],
  ['a tarball without a hash', '$1$2$3tarball: https://packages.example/zod/-/zod-4.6.7.tgz$5'],
  ['a git repository', '$1$2$3type: git, repo: https://example.com/zod.git, commit: 0123456789abcdef$5'],
  ['a version that is an address', '$1https://example.com/zod.tgz$3$4$5'],
  ['a weaker hash', '$1$2$3integrity: sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=$5'],
])('%s is refused', (_, planted) => {
  const text = withZod.replace(zod, planted);
  expect(text).not.toBe(withZod);
  expect(lockfileFaults(text)).toHaveLength(1);
});
