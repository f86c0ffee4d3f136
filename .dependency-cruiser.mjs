// What may know what: `pnpm boundaries`. Each rule has a planted violation in tools/boundaries, and a rule without one
// fails there. A new package or folder usually needs one line in one of these three lists.

/** What each package may import besides its own floor of the workspace: an adapter its technology, and nobody else's. */
const technologies = {
  'adapters-http': ['fastify', '@fastify/rate-limit', 'fresh', 'negotiator', 'swagger-ui-dist', 'yaml', 'zod'],
  'adapters-memory': [],
  'adapters-postgres': ['kysely', 'pg'],
  'adapters-sqlite': ['kysely'],
  'adapters-tokens': ['jose'],
  'group-commit': ['cockatiel'],
};

/** The folders and files of adapters-http/src, top first: each may know what stands on a line below its own. */
const floorsOfHttp = [
  ['index.ts'],
  ['server.ts'],
  ['openapi/'],
  ['plants/'],
  ['framing.ts', 'limits/', 'admin-server.ts'],
  ['errors/', 'docs/'],
  ['telemetry/', 'reply/'],
  ['exchange/', 'exchange.ts'],
];

/** The same of apps/api/src. */
const floorsOfApi = [
  ['main.ts', 'index.ts', 'reference.ts'],
  ['cli/'],
  ['bulk/', 'verify/'],
  ['serve/'],
  ['compose.ts'],
  ['tokens/', 'telemetry/', 'logging/'],
  ['config/'],
  ['stores/'],
  ['errors.ts', 'error-message.ts'],
];

const served = '^(packages/(adapters-[^/]+|group-commit|domain)|apps/api)/src/';
const checksItself = '^(packages/adapters-[^/]+/src/harness|apps/api/src/verify)/';
const npm = ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-bundled', 'npm-no-pkg', 'npm-unknown'];
const inNodeModules = (names) => `(^|/)node_modules/(@types/)?(${names.join('|')})/`;

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    forbid(
      'domain-imports-nothing',
      'Declare a port in packages/domain for what is needed, and let an adapter provide it.',
      {
        from: { path: '^packages/domain/src/' },
        to: { pathNot: '^packages/domain/src/' },
      },
    ),
    forbid('group-commit-imports-domain-only', 'What belongs to one engine goes into its adapter.', {
      from: { path: '^packages/group-commit/src/' },
      to: { path: '^(packages|apps|bench|deploy|tools)/', pathNot: '^packages/(group-commit|domain)/src/' },
    }),
    forbid('kit-imports-no-package', 'contracts-kit serves ports that have nothing to do with plants.', {
      from: { path: '^packages/contracts-kit/' },
      to: { path: '^(packages|apps|bench|deploy|tools)/', pathNot: '^packages/contracts-kit/' },
    }),
    forbid('contracts-know-kit-and-domain', 'A contract judges any implementation, so it can know none.', {
      from: { path: '^packages/(contracts-[^/]+)/src/', pathNot: '^packages/contracts-kit/' },
      to: { path: '^(packages|apps|bench|deploy|tools)/', pathNot: '^packages/($1|contracts-kit|domain)/src/' },
    }),
    forbid(
      'served-code-knows-no-contract',
      'Move it to src/harness of the adapter, to apps/api/src/verify, or to test.',
      {
        from: { path: served, pathNot: checksItself },
        to: { path: '^packages/((contracts|testing)-[^/]+|adapters-[^/]+/src/harness)/' },
      },
    ),
    forbid('adapters-know-domain-and-group-commit', 'Talk through a port; apps/api brings two adapters together.', {
      from: { path: '^packages/(adapters-[^/]+)/src/' },
      to: {
        path: '^(packages|apps|bench|deploy|tools)/',
        pathNot: '^packages/($1/|(domain|group-commit|contracts-[^/]+)/src/)',
      },
    }),
    forbid(
      'only-the-application-knows-adapters',
      'bench, deploy and tools look at the whole; a driving adapter is tested on memory.',
      {
        from: { path: '^packages/([^/]+)/', pathNot: '^packages/(testing-clients|adapters-http/test|contracts-http/mutants)/' },
        to: { path: '^packages/adapters-[^/]+/', pathNot: '^packages/$1/' },
      },
    ),
    ...Object.entries(technologies).map(([name, granted]) =>
      forbid(
        'own-technology-only',
        'Leave it to its own adapter, or add it to technologies in .dependency-cruiser.mjs.',
        {
          from: { path: `^packages/${name}/src/` },
          to: { dependencyTypes: npm, ...(granted.length > 0 && { pathNot: inNodeModules(granted) }) },
        },
      ),
    ),
    forbid('a-new-adapter-names-its-technology', 'Give it a line in technologies in .dependency-cruiser.mjs.', {
      from: { path: '^packages/adapters-[^/]+/src/', pathNot: `^packages/(${Object.keys(technologies).join('|')})/` },
      to: { dependencyTypes: npm },
    }),
    forbid('sqlite-belongs-to-its-adapter', 'Reach a store through a port of the domain.', {
      from: { path: served, pathNot: '^packages/adapters-sqlite/' },
      to: { path: '^(node:)?sqlite$' },
    }),
    ...floors('http', 'packages/adapters-http/src/', floorsOfHttp),
    ...floors('api', 'apps/api/src/', floorsOfApi),
    forbid('no-cycles', 'Move what both sides need into a file that imports neither.', {
      from: {},
      to: { circular: true },
    }),
    forbid('through-exports-only', 'Import a name under "exports" of the package, or ask its owner for another.', {
      from: { path: '^((packages|apps)/[^/]+|bench|deploy|tools)/' },
      to: { path: '^(packages|apps|bench|deploy)/', pathNot: '^$1/', dependencyTypes: ['local'] },
    }),
    forbid('resolvable', 'Name it in package.json, or in "exports" of the package that it comes from.', {
      from: { pathNot: '^packages/testing-clients/' },
      to: { couldNotResolve: true },
    }),
    forbid(
      'source-knows-no-tests',
      'Tests are not there when the package is installed: move what both need into src.',
      {
        from: { path: '^((packages|apps)/[^/]+)/src/' },
        to: { path: '^$1/test/' },
      },
    ),
    forbid('source-needs-dependencies', 'Move it from devDependencies to dependencies.', {
      from: { path: '^(packages/[^/]+|apps/api)/src/' },
      to: { dependencyTypes: ['npm-dev'] },
    }),
  ],
  options: {
    // Built code, what generators write, and a project of somebody else's; nothing else, above all not node_modules, whose packages have a dist too.
    exclude: {
      path: '^((packages|apps)/[^/]+|bench|deploy|tools)/(dist|reports|releases/consumer)/|^packages/testing-clients/[^/]+/generated/',
    },
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['development', 'import', 'node', 'default', 'types'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
  },
};

function forbid(name, comment, { from, to }) {
  return { name, comment, severity: 'error', from, to };
}

/** Nothing imports what stands above it or beside it, and every module stands somewhere. */
function floors(name, folder, lines) {
  const pattern = (entries) => `^${folder}(${entries.join('|').replaceAll('.', '\\.')})`;
  const upwards = lines.flatMap((entries, line) =>
    entries.map((entry) => {
      const out = [...lines.slice(0, line).flat(), ...entries.filter((other) => other !== entry)];
      return { from: pattern([entry]), to: out };
    }),
  );
  return [
    ...upwards
      .filter(({ to }) => to.length > 0)
      .map(({ from, to }) =>
        forbid(`floors-of-${name}`, 'Move what both need to a lower floor, or pass it in.', {
          from: { path: from },
          to: { path: pattern(to) },
        }),
      ),
    ...[
      { from: { path: `^${folder}`, pathNot: pattern(lines.flat()) }, to: {} },
      { from: {}, to: { path: `^${folder}`, pathNot: pattern(lines.flat()) } },
    ].map((rule) =>
      forbid(`a-floor-for-all-of-${name}`, 'Add its folder or file to the floors in .dependency-cruiser.mjs.', rule),
    ),
  ];
}
