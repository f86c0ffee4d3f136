import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contentFaults, manifestFaults, tarballFaults } from '../src/tarball-faults.ts';
import { scratchDirectory, write } from './scratch-directory.ts';

const sound = [
  'package.json',
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'src/index.ts',
  'dist/index.js',
  'dist/index.d.ts',
];

test('a sound tarball has no fault', async () => {
  expect(await tarballFaults(tarball(sound))).toEqual([]);
});

test.each([
  ['test/index.test.ts', 'test/index.test.ts does not belong into a tarball'],
  ['dist/.tsbuildinfo', 'dist/.tsbuildinfo does not belong into a tarball'],
  ['.env', '.env does not belong into a tarball'],
  ['dist/deleted.js', 'dist/deleted.js has no source any more'],
  ['dist/contract/deleted.d.ts.map', 'dist/contract/deleted.d.ts.map has no source any more'],
])('%s is a fault', (file, fault) => {
  expect(contentFaults([...sound, file])).toEqual([expect.stringContaining(fault)]);
});

test.each(['CHANGELOG.md', 'LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts'])('%s must be there', (file) => {
  expect(contentFaults(sound.filter((each) => each !== file))).toEqual([expect.stringContaining(`${file} is missing`)]);
});

test.each(['workspace:', 'catalog:', '"development"', '"scripts"', '"devDependencies"'])(
  'a manifest may not hold %s',
  (text) => {
    expect(manifestFaults(`{"name":"some", ${text}}`)).toEqual([expect.stringContaining(`holds ${text}`)]);
  },
);

test('what publint and attw say of exports is a fault', async () => {
  const missing = { '.': { types: './dist/index.d.ts', default: './dist/gone.js' } };
  expect(await tarballFaults(tarball(sound, missing))).toContainEqual(expect.stringContaining('publint: '));
  const untyped = { '.': { default: './dist/index.js' }, './contract': { default: './dist/untyped.js' } };
  const faults = await tarballFaults(tarball([...sound, 'dist/untyped.js', 'src/untyped.ts'], untyped));
  expect(faults).toEqual([expect.stringContaining('"@plant-store/some/contract"\n\nnode16 (from ESM): No types')]);
});

function tarball(
  files: readonly string[],
  exports: object = { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
) {
  const directory = scratchDirectory();
  const [name, version] = ['@plant-store/some', '1.0.0'];
  const manifest = JSON.stringify({
    name,
    version,
    license: 'MIT',
    type: 'module',
    engines: { node: '>=26' },
    exports,
  });
  write(directory, Object.fromEntries(files.map((file) => [`package/${file}`, 'export const some = 1;\n'])));
  write(directory, {
    'package/package.json': manifest,
    'package/dist/index.d.ts': 'export declare const some: number;\n',
  });
  const path = join(directory, 'some.tgz');
  execFileSync('tar', ['-czf', path, 'package'], { cwd: directory });
  return { name, version, path, files, manifest };
}
