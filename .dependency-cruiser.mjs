// What may import what: `pnpm boundaries`. Every rule has a planted violation in tools/boundaries, where a rule without one fails.
// A new storage adapter needs no line here; a new file of apps/api gets a floor.

/**
 * The npm packages that a package's source may import, as patterns. Another adapter may import Kysely, and packages that nobody
 * names here. `declared` checks that package.json names them.
 */
const technologies = {
  'adapters-citus': ['kysely'],
  'adapters-http': ['@fastify', 'fastify[^/]*'],
  'adapters-memory': [],
  'adapters-mysql': ['kysely', 'mysql2'],
  'adapters-postgres': ['kysely', 'pg'],
  'adapters-sqlite': ['kysely'],
  'adapters-tokens': ['jose'],
  'group-commit': [],
  'store-kit': ['kysely'],
};

/** The parts of apps/api/src as patterns, top first. A part may import only from the lines below its own. */
const floors = [
  ['(index|main)\\.ts'],
  ['cli/'],
  ['serve\\.ts'],
  ['compose\\.ts', 'bulk\\.ts'],
  ['tokens\\.ts', 'metrics\\.ts', 'log\\.ts'],
  ['config\\.ts'],
  ['settings\\.ts'],
  ['stores\\.ts'],
  ['(errors|no-debugger|version)\\.ts'],
];

const ours = '^(apps|bench|clients|contracts|libraries|packages|testing|tools)/';
const served = '^(packages/(adapters-[^/]+|store-kit|domain)|libraries/group-commit|apps/api)/src/';
const contracts = '^(contracts/[^/]+|testing|packages/adapters-[^/]+/harness)/';
const npm = { dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'npm-unknown'] };

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...rule('domain-imports-nothing', 'declare a port for what is needed, and let an adapter provide it', {
      from: { path: '^packages/domain/src/' },
      to: { pathNot: '^packages/domain/src/' },
    }),
    ...rule('clients-import-nothing', 'a client knows the description alone, so that it runs in any browser', {
      from: { path: '^(clients/[^/]+)/src/' },
      to: { pathNot: '^$1/src/' },
    }),
    ...rule('group-commit-imports-no-package', 'what belongs to a store goes into store-kit, or into its adapter', {
      from: { path: '^libraries/group-commit/src/' },
      to: { path: ours, pathNot: '^(libraries/group-commit|contracts/[^/]+)/src/' },
    }),
    ...rule('store-kit-knows-no-adapter', 'what belongs to one engine goes into its adapter, which passes it in', {
      from: { path: '^packages/store-kit/src/' },
      to: { path: ours, pathNot: '^(packages/(store-kit|domain)|libraries/group-commit|contracts/[^/]+)/src/' },
    }),
    ...rule('bulk-knows-records-only', 'let the command that calls it open what is behind a port', {
      from: { path: '^apps/api/src/bulk\\.ts$' },
      to: {
        path: ours,
        pathNot: '^(apps/api/src/errors\\.ts|packages/domain/src/|packages/adapters-http/src/json\\.ts)',
      },
    }),
    ...rule(
      'json-and-limits-need-no-server',
      'the configuration loads them alone: what needs Fastify goes into another file',
      {
        from: { path: '^packages/adapters-http/src/(errors|json|limits)\\.ts$' },
        to: { path: '(^|/)node_modules/@?fastify', dependencyTypesNot: ['type-only'] },
      },
    ),
    ...rule('description-alone-has-the-page', 'register it in description.ts, which may be left out', {
      from: { path: served, pathNot: '^packages/adapters-http/src/description\\.ts$' },
      to: { path: '(^|/)node_modules/@fastify/swagger', dependencyTypesNot: ['type-only'] },
    }),
    ...rule('kit-imports-no-package', 'contracts-kit serves ports that have nothing to do with plants', {
      from: { path: '^contracts/kit/' },
      to: { path: ours, pathNot: '^contracts/kit/' },
    }),
    ...rule(
      'contracts-know-kit-and-domain',
      'a contract judges any implementation, so it can know none; of store-kit the types alone',
      {
        from: { path: '^(contracts/[^/]+)/src/', pathNot: '^contracts/kit/' },
        to: { path: ours, pathNot: '^($1|contracts/kit|packages/(domain|store-kit))/src/' },
      },
      {
        from: { path: '^contracts/[^/]+/src/' },
        to: { path: '^packages/store-kit/', dependencyTypesNot: ['type-only'] },
      },
    ),
    ...rule('served-code-knows-no-contract', 'move it to the harness of the adapter, or to test', {
      from: { path: served },
      to: { path: contracts },
    }),
    ...rule(
      'adapters-know-no-adapter',
      'talk through a port; apps/api brings two adapters together',
      {
        from: { path: '^packages/(adapters-[^/]+)/(src|harness)/', pathNot: '^packages/adapters-citus/' },
        to: {
          path: ours,
          pathNot: '^packages/$1/|^(packages/(domain|store-kit)|libraries/group-commit|contracts/[^/]+)/src/',
        },
      },
      {
        // It uses the driver of adapters-postgres, which does not know it.
        from: { path: '^packages/adapters-citus/(src|harness)/' },
        to: {
          path: ours,
          pathNot:
            '^packages/(adapters-(citus|postgres)|domain|store-kit)/|^(libraries/group-commit|contracts/[^/]+)/src/',
        },
      },
    ),
    ...rule('driving-adapters-know-domain-only', 'what stores share is not for them: ask for it through a port', {
      from: { path: '^packages/(adapters-(?:http|tokens))/src/' },
      to: { path: ours, pathNot: '^(packages/($1|domain)|contracts/[^/]+)/src/' },
    }),
    ...rule(
      'only-the-application-knows-adapters',
      'bench, deploy and tools may too; adapters-http is tested on memory',
      {
        from: {
          path: '^((?:contracts|libraries|packages)/[^/]+|testing)/',
          pathNot: '^(packages/adapters-citus|packages/adapters-http/(checks|test)|contracts/http/mutants)/',
        },
        to: { path: '^packages/adapters-[^/]+/', pathNot: '^$1/' },
      },
    ),
    ...rule(
      'own-technology-only',
      'leave it to its own adapter, or change technologies in .dependency-cruiser.mjs',
      ...Object.entries(technologies).map(([name, granted]) => ({
        from: { path: `^(?:libraries|packages)/${name}/(src|harness)/` },
        to: { ...npm, pathNot: modules(granted) },
      })),
      {
        from: {
          path: '^packages/adapters-[^/]+/(src|harness)/',
          pathNot: `^packages/(${Object.keys(technologies).join('|')})/`,
        },
        to: { ...npm, path: modules(Object.values(technologies).flat()), pathNot: modules(['kysely']) },
      },
    ),
    ...rule('databases-belong-to-their-adapters', 'reach a store through a port of the domain', {
      from: { path: served, pathNot: '^packages/adapters-sqlite/' },
      to: { path: '^(node:)?sqlite$' },
    }),
    ...rule('the-application-has-no-driver', 'reach a database through its adapter', {
      from: { path: '^apps/' },
      to: { path: '(^|/)node_modules/(@types/)?(kysely|mysql2|pg)/' },
    }),
    ...rule('memory-needs-no-system', 'an adapter of its own is for what needs the network or a disk', {
      from: { path: '^packages/adapters-memory/src/' },
      to: { dependencyTypes: ['core'] },
    }),
    ...rule('vitest-is-behind-its-own-export', 'the kit also runs on a command line: move it to src/vitest', {
      from: { path: '^contracts/kit/src/', pathNot: '^contracts/kit/src/vitest/' },
      to: { path: ['^contracts/kit/src/vitest/', '(^|/)node_modules/vitest/'] },
    }),
    ...rule('an-operation-knows-no-server', 'let the server or its hooks do it for every operation', {
      // Routes stand with their errors in files such as plants.ts: whatever is not a part of the server.
      from: {
        path: '^packages/adapters-http/src/',
        pathNot:
          '/(admin-server|admission|description|drain|errors|index|json|limits|malformed-http|server|telemetry)\\.ts$',
      },
      to: { path: '^packages/adapters-http/src/', pathNot: '/(errors|json|plants)\\.ts$' },
    }),
    ...rule('floors-of-the-application', 'move what both need to a lower floor, or pass it in', ...upwards()),
    ...rule(
      'a-floor-for-each-file-of-the-application',
      'add the file to floors in .dependency-cruiser.mjs',
      { from: { path: '^apps/api/src/', pathNot: inApplication(floors.flat()) }, to: {} },
      { from: {}, to: { path: '^apps/api/src/', pathNot: inApplication(floors.flat()) } },
    ),
    ...rule('no-cycles', 'move what both sides need into a file that imports neither', {
      from: {},
      to: { circular: true },
    }),
    ...rule('through-exports-only', 'import a name under "exports" of the package, or ask its owner for another', {
      from: { path: '^((apps|clients|contracts|libraries|packages)/[^/]+|bench|testing|tools)/' },
      to: { path: ours, pathNot: '^$1/', dependencyTypes: ['local'] },
    }),
    ...rule('resolvable', 'name it in package.json, or in "exports" of the package that it comes from', {
      from: {},
      to: { couldNotResolve: true },
    }),
    ...rule('declared', 'name it in package.json of the package that imports it', {
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    }),
    ...rule('source-knows-no-tests', 'tests are not there when the package is installed: move what both need to src', {
      from: { path: '^((apps|clients|contracts|libraries|packages)/[^/]+|testing)/(src|harness)/' },
      to: { path: '^$1/test/' },
    }),
    ...rule('source-needs-dependencies', 'move it from devDependencies to dependencies', {
      from: { path: '^((contracts|libraries|packages)/[^/]+|apps/api|testing)/(src|harness)/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm-peer'] },
    }),
  ],
  options: {
    // Built code of our own packages alone, because the entries of npm packages are in their dist.
    exclude: {
      path: '^((apps|clients|contracts|libraries|packages)/[^/]+|bench|testing|tools)/(dist|reports)/',
    },
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    // To mock a module is to know it.
    exoticRequireStrings: ['vi.mock', 'vi.doMock', 'vi.importActual'],
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['development', 'import', 'node', 'default', 'types'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
  },
};

function rule(name, comment, ...restrictions) {
  return restrictions.map((restriction) => ({ name, comment, severity: 'error', ...restriction }));
}

/** Patterns of npm packages as patterns of paths. */
function modules(names) {
  return names.map((each) => `(^|/)node_modules/(@types/)?${each}/`);
}

function inApplication(parts) {
  return `^apps/api/src/(${parts.join('|')})`;
}

/** Restricts each part to the lines below its own. */
function upwards() {
  const restrictions = floors.flatMap((parts, line) =>
    parts.map((part) => ({
      part,
      others: [...floors.slice(0, line).flat(), ...parts.filter((each) => each !== part)],
    })),
  );
  return restrictions
    .filter(({ others }) => others.length > 0)
    .map(({ part, others }) => ({ from: { path: inApplication([part]) }, to: { path: inApplication(others) } }));
}
