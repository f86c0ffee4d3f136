import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { linkFaults } from '../src/link-faults.ts';
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
  const one = tarball(sound);
  expect(await tarballFaults({ ...one, readme: '[x](LICENSE)' })).toEqual([]);
  expect(await tarballFaults({ ...one, readme: '[x](../x)' })).toEqual([expect.stringContaining('README.md links to')]);
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

test.each([
  ['a link', '[x](../../docs/tokens.md)', '../../docs/tokens.md'],
  ['a link to what is not packed', '[x](api/index.api.md)', 'api/index.api.md'],
  ['a link to a folder that is not packed', '[x](test/)', 'test/'],
  ['a link to the folder of another package', '[x](../domain)', '../domain'],
  ['a link with a heading', '[x](docs/x.md#some)', 'docs/x.md#some'],
  ['a link from the root of a host', '[x](/LICENSE)', '/LICENSE'],
  ['an image', '![x](picture.svg)', 'picture.svg'],
  ['a definition', '[x]\n\n[x]: ../x.md', '../x.md'],
  ['a link in a table', '| a |\n|---|\n| [x](../x.md) |', '../x.md'],
])('%s that leads out of the tarball is a fault of a README', (_, text, target) => {
  const fault = `README.md links to ${target}, which is not in the tarball`;
  expect(linkFaults(`# Some\n\n${text}\n`, sound)).toEqual([expect.stringContaining(fault)]);
});

test('a link to what is packed, to a folder of it, a heading or another host is none', () => {
  const links = [
    'src/index.ts',
    './src/',
    'src',
    'LICENSE#x',
    '#some',
    'https://example.org/x',
    'mailto:a@example.org',
  ];
  const readme = links.map((link) => `[x](${link})`).join(' ');
  expect(linkFaults(`${readme} \`[x](../code.md)\`\n\n\`\`\`md\n[x](../code.md)\n\`\`\`\n`, sound)).toEqual([]);
});

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
  return { name, version, path, files, manifest, readme: '' };
}
