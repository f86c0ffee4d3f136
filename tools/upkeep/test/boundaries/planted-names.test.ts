import { expect, test } from 'vitest';
import { checkBoundaries } from '../../src/boundaries/check-boundaries.ts';
import { installedIn } from '../../src/boundaries/installed.ts';
import { manifestOf, withManifest, workspace } from './workspace-with.ts';

/** The lockfile as pnpm writes it for one package that depends on one name. */
const lockfile = (name: string, specifier: string, version: string) => `lockfileVersion: '9.0'

catalogs:
  default:
    zod:
      specifier: npm:pg@8.23.1
      version: 8.23.1

overrides:
  jose: npm:kysely@0.29.9

importers:

  .: {}

  packages/adapters-tokens:
    dependencies:
      '${name}':
        specifier: ${specifier}
        version: ${version}

packages:

  '@types/pg@8.23.1':
    resolution: {integrity: sha512-none}
`;
const planted = (name: string, specifier: string, version: string) =>
  checkBoundaries({ ...workspace, installed: installedIn(lockfile(name, specifier, version)) });

test.each([
  ['a catalog', 'zod', "'catalog:'", 'pg@8.23.1'],
  ['a catalog, with peers', 'zod', "'catalog:'", 'kysely@0.29.9(pg@8.23.1)'],
  ['an override', 'jose', 'npm:kysely@0.29.9', 'kysely@0.29.9'],
  ['an override with a scope', 'jose', 'npm:@types/pg@8.23.1', "'@types/pg@8.23.1'"],
  ['a tarball', 'jose', 'https://example.org/pg.tgz', 'https://example.org/pg.tgz'],
  ['a folder', 'jose', 'file:../adapters-memory', 'file:packages/adapters-memory'],
  ['an override by a package of the workspace', 'jose', 'link:../adapters-memory', 'link:../adapters-memory'],
  ['one of them by another', '@plant-store/domain', 'link:../adapters-memory', 'link:../adapters-memory'],
  ['one of them by itself', '@plant-store/domain', 'link:.', "'link:'"],
])('%s puts no other package behind a name', (_, name, specifier, version) => {
  const what = `gives packages/adapters-tokens ${version.replaceAll("'", '')} for ${name}`;
  expect(planted(name, specifier, version)).toEqual([
    { rule: 'no-borrowed-names', path: 'pnpm-lock.yaml', line: 18, what },
  ]);
});

test.each([
  ['jose', "'catalog:'", '6.2.17'],
  ['@fastify/etag', "'catalog:'", '6.2.0(fastify@5.12.8)'],
  ['@plant-store/domain', 'workspace:^', 'link:../domain'],
])('nothing is said of %s under its own name', (name, specifier, version) => {
  expect(planted(name, specifier, version)).toEqual([]);
});

test('a package of the workspace that the manifest says under another name is what it says', () => {
  const folder = 'packages/adapters-tokens';
  const manifest = manifestOf(folder);
  const store = 'workspace:@plant-store/domain@*';
  const renamed = withManifest(folder, { ...manifest, dependencies: { ...manifest.dependencies, store } });
  const installed = installedIn(lockfile('store', store, 'link:../domain'));
  expect(checkBoundaries({ ...renamed, installed })).toEqual([]);
});

test('the lockfile is seen: every name that a manifest depends on stands there', () => {
  const named = workspace.packages.flatMap(({ folder, manifest }) => {
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }).map(
      (name) => `${folder} ${name}`,
    );
  });
  const seen = new Set(workspace.installed.map(({ folder, name }) => `${folder} ${name}`));
  const template = /^turbo\/generators\/templates\//;
  expect(named.filter((each) => !template.test(each) && !seen.has(each))).toEqual([]);
  expect(workspace.installed.filter(({ line }) => line < 1)).toEqual([]);
});

test('a text that is no lockfile is an error, not a workspace without dependencies', () => {
  expect(() => installedIn('')).toThrow('run "npx -y pnpm@12 install"');
});
