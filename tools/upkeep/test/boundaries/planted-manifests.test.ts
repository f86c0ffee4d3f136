import { expect, test } from 'vitest';
import { checkBoundaries } from '../../src/boundaries/check-boundaries.ts';
import type { RuleName } from '../../src/boundaries/rules.ts';
import { manifestOf, withManifest } from './workspace-with.ts';

const workspaceLink = 'workspace:*';

test.each([
  ['domain-knows-nothing', 'packages/domain', 'dependencies', 'pg'],
  ['domain-knows-nothing', 'packages/domain', 'peerDependencies', 'pg'],
  ['domain-knows-nothing', 'packages/domain', 'optionalDependencies', 'pg'],
  ['arrows-point-inwards', 'packages/adapters-tokens', 'dependencies', '@plant-store/adapters-postgres'],
  ['arrows-point-inwards', 'packages/adapters-tokens', 'dependencies', '@plant-store/testing-postgres'],
  ['arrows-point-inwards', 'packages/testing-postgres', 'peerDependencies', '@plant-store/adapters-memory'],
  ['arrows-point-inwards', 'packages/adapters-sqlite', 'devDependencies', '@plant-store/adapters-postgres'],
  ['arrows-point-inwards', 'packages/adapters-sqlite', 'devDependencies', '@plant-store/adapters-memory'],
  ['own-technology-only', 'packages/adapters-sqlite', 'dependencies', 'pg'],
  ['own-technology-only', 'packages/adapters-sqlite', 'peerDependencies', 'pg'],
  ['own-technology-only', 'packages/adapters-sqlite', 'devDependencies', '@types/pg'],
  ['own-technology-only', 'packages/adapters-tokens', 'devDependencies', 'fastify'],
  ['own-technology-only', 'apps/api', 'dependencies', 'jose'],
] as const)('%s: %s has %s on %s', (rule, folder, kind, name) => {
  const manifest = manifestOf(folder);
  const violations = checkBoundaries(withManifest(folder, { ...manifest, [kind]: { ...manifest[kind], [name]: '*' } }));
  expect(violations).toEqual([
    {
      rule: rule satisfies RuleName,
      path: `${folder}/package.json`,
      line: expect.any(Number),
      what: `depends on ${name}`,
    },
  ]);
  expect(violations[0]?.line).toBeGreaterThan(1);
});

test('naming a driver in the manifest does not make it the own technology of an adapter', () => {
  const folder = 'packages/adapters-sqlite';
  const manifest = manifestOf(folder);
  const path = `${folder}/src/planted.ts`;
  const declared = { ...manifest, dependencies: { ...manifest.dependencies, pg: 'catalog:' } };
  expect(checkBoundaries(withManifest(folder, declared, { path, text: "import 'pg';" }))).toMatchObject([
    { rule: 'own-technology-only', path: `${folder}/package.json` },
    { rule: 'own-technology-only', path, line: 1, what: 'imports pg' },
  ]);
});

test.each([
  'workspace:@plant-store/adapters-postgres@*',
  'npm:@plant-store/adapters-postgres@1.0.0',
  'npm:@plant-store/adapters-postgres',
  'workspace:../adapters-postgres',
  'link:../adapters-postgres',
  'file:../adapters-postgres/',
])('another name hides no package: "store": "%s"', (version) => {
  const manifest = manifestOf('packages/adapters-sqlite');
  const dependencies = { ...manifest.dependencies, store: version };
  const devDependencies = { ...manifest.devDependencies, store: version };
  const violation = {
    rule: 'arrows-point-inwards',
    path: 'packages/adapters-sqlite/package.json',
    line: expect.any(Number),
    what: 'depends on store, which is @plant-store/adapters-postgres',
  };
  const path = 'packages/adapters-sqlite/src/planted.ts';
  const text = "import 'store';";
  for (const planted of [{ dependencies }, { devDependencies }]) {
    const violations = checkBoundaries(withManifest('packages/adapters-sqlite', { ...manifest, ...planted }));
    expect(violations).toEqual([violation]);
    expect(violations[0]?.line).toBeGreaterThan(1);
  }
  const importing = withManifest('packages/adapters-sqlite', { ...manifest, dependencies }, { path, text });
  expect(checkBoundaries(importing)).toEqual([
    violation,
    { rule: 'arrows-point-inwards', path, line: 1, what: 'imports store' },
  ]);
});

test('a second package with the name of another is refused', () => {
  const planted = withManifest('packages/planted', { name: '@plant-store/domain' });
  expect(checkBoundaries(planted)).toEqual([
    {
      rule: 'a-name-means-one-package',
      path: 'packages/planted/package.json',
      line: 2,
      what: 'is called @plant-store/domain, as packages/domain is',
    },
  ]);
});

test('a package in a place that no rule is about is refused', () => {
  const violations = checkBoundaries(withManifest('packages/planted', { name: '@plant-store/planted' }));
  expect(violations).toMatchObject([{ rule: 'every-package-has-its-place', path: 'packages/planted/package.json' }]);
});

test('a new adapter is bound by the rules with no setting', () => {
  const dependencies = { '@plant-store/domain': workspaceLink, '@plant-store/adapters-memory': workspaceLink };
  const planted = withManifest('packages/adapters-planted', { name: '@plant-store/adapters-planted', dependencies });
  expect(checkBoundaries(planted)).toMatchObject([
    { rule: 'arrows-point-inwards', path: 'packages/adapters-planted/package.json', line: 5 },
  ]);
});

test('a circle of packages is refused, in what only tests need too', () => {
  const manifest = manifestOf('packages/domain');
  const devDependencies = { ...manifest.devDependencies, '@plant-store/adapters-memory': workspaceLink };
  expect(checkBoundaries(withManifest('packages/domain', { ...manifest, devDependencies }))).toContainEqual({
    rule: 'no-cycles',
    path: expect.stringMatching(/package\.json$/),
    line: expect.any(Number),
    what: expect.stringContaining('packages/domain/package.json → '),
  });
});
