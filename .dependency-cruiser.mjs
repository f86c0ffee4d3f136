// What may import what: `pnpm boundaries`. Every rule has a planted violation in tools/boundaries; a rule without one fails
// there. A new package, folder or file may need a line in one of these two lists.

/**
 * What each package's source may import of npm, as patterns, and of Node's modules the databases; other packages of the
 * workspace are free to choose.
 */
const technologies = {
  'adapters-citus': ['kysely'],
  'adapters-http': ['@fastify', 'fastify[^/]*', 'openapi-types', 'zod'],
  'adapters-memory': [],
  'adapters-mysql': ['kysely', 'mysql2'],
  'adapters-postgres': ['kysely', 'pg'],
  'adapters-sqlite': ['kysely', 'node:sqlite'],
  'adapters-tokens': ['jose'],
  'group-commit': [],
  'store-kit': ['kysely'],
};

/** Top first: what stands on a line may import what stands on the lines below it. */
const floors = {
  'packages/adapters-http/src/': [
    ['index.ts'],
    ['server.ts', 'admin-server.ts'],
    ['authenticate.ts', 'description.ts', 'malformed-http.ts', 'rate-limit.ts'],
    ['guards.ts', 'openapi.ts', 'telemetry.ts'],
    ['operations.ts'],
    // Operations with their records, such as plants.ts.
    ['[a-z-]*plants?.ts'],
    ['operation.ts'],
    ['errors.ts', 'node-server.ts'],
    ['limits.ts', 'listeners.ts'],
    ['json.ts'],
  ],
  'apps/api/src/': [
    ['main.ts', 'index.ts', 'reference.ts'],
    ['cli/'],
    ['serve/'],
    ['compose.ts', 'bulk/'],
    ['tokens/', 'telemetry/', 'logging/', 'cannot-listen.ts'],
    ['config/'],
    ['stores/'],
    ['retrying.ts', 'sharing.ts'],
    ['errors.ts', 'host.ts', 'no-debugger.ts', 'printable.ts', 'version.ts'],
  ],
};

const ours = '^(apps|bench|contracts|libraries|packages|testing|tools)/';
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
    ...rule('group-commit-imports-no-package', 'what belongs to a store goes into store-kit, or into its adapter', {
      from: { path: '^libraries/group-commit/src/' },
      to: { path: ours, pathNot: '^(libraries/group-commit|contracts/[^/]+)/src/' },
    }),
    ...rule('store-kit-knows-no-adapter', 'what belongs to one engine goes into its adapter, which passes it in', {
      from: { path: '^packages/store-kit/src/' },
      to: { path: ours, pathNot: '^(packages/(store-kit|domain)|libraries/group-commit|contracts/[^/]+)/src/' },
    }),
    ...rule(
      'a-start-on-sqlite-loads-no-kysely',
      'Kysely takes longer to load than a migrated file to open: in store-kit it belongs to src/sql, in adapters-sqlite load it for a migration',
      {
        from: { path: '^packages/store-kit/src/[^/]+$' },
        to: { path: '(^|/)node_modules/kysely/', reachable: true },
      },
      {
        from: { path: '^packages/adapters-sqlite/src/', pathNot: '/migrations/' },
        to: {
          path: ['(^|/)node_modules/kysely/', '^packages/store-kit/src/sql/'],
          dependencyTypesNot: ['type-only', 'dynamic-import'],
        },
      },
    ),
    ...rule('bulk-knows-records-only', 'let the command that calls it open what is behind a port', {
      from: { path: '^apps/api/src/bulk/' },
      to: {
        path: ours,
        pathNot:
          '^(apps/api/src/(bulk/|errors|host|printable|retrying)|packages/domain/src/|packages/adapters-http/src/json\\.ts)',
      },
    }),
    ...rule(
      'json-and-limits-need-no-server',
      'the configuration loads them alone: what needs Fastify goes into another file',
      {
        from: { path: '^packages/adapters-http/src/(json|limits)\\.ts$' },
        to: { path: '(^|/)node_modules/@?fastify', reachable: true },
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
        from: { path: '^(contracts/[^/]+)/src/', pathNot: '^contracts/(engines|kit)/' },
        to: { path: ours, pathNot: '^($1|contracts/kit|packages/(domain|store-kit))/src/' },
      },
      {
        from: { path: '^contracts/engines/src/' },
        to: { path: ours, pathNot: '^(contracts/(engines|kit)|libraries/group-commit)/src/' },
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
        // It stands on the driver of adapters-postgres, which knows nothing of it.
        from: { path: '^packages/adapters-citus/(src|harness)/' },
        to: {
          path: ours,
          pathNot:
            '^packages/(adapters-(citus|postgres)|domain|store-kit)/|^(libraries/group-commit|contracts/[^/]+)/src/',
        },
      },
    ),
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
    ...Object.entries(technologies).flatMap(([name, granted]) =>
      rule('own-technology-only', 'leave it to its own adapter, or add it to technologies in .dependency-cruiser.mjs', {
        from: { path: `^(?:libraries|packages)/${name}/(src|harness)/` },
        to: { ...npm, pathNot: granted.map((each) => `(^|/)node_modules/(@types/)?${each}/`) },
      }),
    ),
    ...rule('a-new-adapter-names-its-technology', 'add a line to technologies in .dependency-cruiser.mjs', {
      from: { path: '^packages/adapters-[^/]+/src/', pathNot: `/(${Object.keys(technologies).join('|')})/` },
      to: npm,
    }),
    ...rule('databases-belong-to-their-adapters', 'reach a store through a port of the domain', {
      from: { path: served, pathNot: `^packages/(${grantedTo('node:sqlite')})/` },
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
    ...Object.entries(floors).flatMap(([folder, lines]) => floorRules(folder, lines)),
    ...rule(
      'through-the-index-of-a-folder',
      'import what its index.ts exports, or export it there',
      {
        from: { path: '^apps/api/src/([^/]+)/' },
        to: { path: '^apps/api/src/[^/]+/', pathNot: '^apps/api/src/($1/|.*/index\\.ts$)' },
      },
      { from: { path: '^apps/api/src/[^/]+$' }, to: { path: '^apps/api/src/.+/', pathNot: '/index\\.ts$' } },
    ),
    ...rule('no-cycles', 'move what both sides need into a file that imports neither', {
      from: {},
      to: { circular: true },
    }),
    ...rule('through-exports-only', 'import a name under "exports" of the package, or ask its owner for another', {
      from: { path: '^((apps|contracts|libraries|packages)/[^/]+|bench|testing|tools)/' },
      to: { path: ours, pathNot: '^$1/', dependencyTypes: ['local'] },
    }),
    ...rule('resolvable', 'name it in package.json, or in "exports" of the package that it comes from', {
      from: { pathNot: '^apps/api/test/clients/programs/' },
      to: { couldNotResolve: true },
    }),
    ...rule('declared', 'name it in package.json of the package that imports it', {
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    }),
    ...rule('source-knows-no-tests', 'tests are not there when the package is installed: move what both need to src', {
      from: { path: '^((apps|contracts|libraries|packages)/[^/]+|testing)/(src|harness)/' },
      to: { path: '^$1/test/' },
    }),
    ...rule('source-needs-dependencies', 'move it from devDependencies to dependencies', {
      from: { path: '^((contracts|libraries|packages)/[^/]+|apps/api|testing)/(src|harness)/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm-peer'] },
    }),
  ],
  options: {
    // Built code, generated clients, and a project of somebody else's; nothing else, above all no dist of an npm package.
    exclude: {
      path: '^((apps|contracts|libraries|packages)/[^/]+|bench|testing|tools)/(dist|reports|releases/(consumer|outside-adapter))/|/programs/generated/',
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

/** The packages that may import a technology, as part of a pattern. */
function grantedTo(technology) {
  return Object.keys(technologies)
    .filter((name) => technologies[name].includes(technology))
    .join('|');
}

function rule(name, comment, ...restrictions) {
  return restrictions.map((restriction) => ({ name, comment, severity: 'error', ...restriction }));
}

/** Nothing imports what stands above it or beside it, and every module stands somewhere. */
function floorRules(folder, lines) {
  const within = (entries) => `^${folder}(${entries.join('|').replaceAll('.', '\\.')})`;
  const upwards = lines.flatMap((entries, line) =>
    entries.map((entry) => {
      const out = [...lines.slice(0, line).flat(), ...entries.filter((other) => other !== entry)];
      return { from: { path: within([entry]) }, to: { path: out.map((each) => within([each])) } };
    }),
  );
  const elsewhere = { path: `^${folder}`, pathNot: within(lines.flat()) };
  const restrictions = upwards.filter(({ to }) => to.path.length > 0);
  return [
    ...rule(`floors-of-${folder}`, 'move what both need to a lower floor, or pass it in', ...restrictions),
    ...rule(
      `a-floor-for-all-of-${folder}`,
      'add the folder or file to floors in .dependency-cruiser.mjs',
      {
        from: elsewhere,
        to: {},
      },
      { from: {}, to: elsewhere },
    ),
  ];
}
