/** Where a package stands in the hexagon. */
export interface Place {
  /** The names of the packages that stand here. */
  readonly names: RegExp;
  /** The packages of the workspace that its source may import and its manifest may depend on. */
  readonly mayKnow: RegExp;
  /** The same for its `src/under-test`, in addition: what its store is checked with. */
  readonly underTestMayKnow?: RegExp;
  /** The same for its tests and settings; anything where it is left out. */
  readonly testsMayKnow?: RegExp;
  /** The packages whose files its tests, and its source where that is not served, may name by their path. */
  readonly mayRead?: RegExp;
  /** Depends on nothing at all: no package, no built-in, no global but the language's own. */
  readonly pure?: true;
  /** Part of the service, or of what is published: its source may not get past the rules. */
  readonly served?: true;
}

const nothing = /^$/;

const adapter = {
  mayKnow: /^@plant-store\/domain$/,
  underTestMayKnow: /^@plant-store\/testing-stores$/,
  testsMayKnow: /^@plant-store\/(domain|testing-.+)$/,
  served: true,
} as const;

/** The arrows of the design. A package is bound by the first place with its name. */
const places: readonly Place[] = [
  { names: /^@plant-store\/domain$/, mayKnow: nothing, pure: true, served: true },
  // A driving adapter is tested on a store, the one that needs nothing.
  {
    ...adapter,
    names: /^@plant-store\/adapters-http$/,
    testsMayKnow: /^@plant-store\/(domain|testing-.+|adapters-memory)$/,
  },
  { ...adapter, names: /^@plant-store\/adapters-/ },
  // Its tests hold the dashboard and the alerts to the metrics that the service has.
  {
    names: /^@plant-store\/api$/,
    mayKnow: /^@plant-store\/(domain|adapters-.+)$/,
    mayRead: /^@plant-store\/deploy$/,
    served: true,
  },
  { names: /^@plant-store\/testing-stores$/, mayKnow: /^@plant-store\/domain$/, served: true },
  { names: /^@plant-store\/testing-/, mayKnow: /^@plant-store\/domain$/ },
  // It starts the service as its operator does.
  {
    names: /^@plant-store\/bench$/,
    mayKnow: /^@plant-store\/(domain|adapters-.+|testing-.+|api)$/,
    mayRead: /^@plant-store\/api$/,
  },
  { names: /^@plant-store\/releases$/, mayKnow: /^@plant-store\/testing-postgres$/ },
  { names: /^@plant-store\/documents$/, mayKnow: /^@plant-store\/(adapters-http|api)$/ },
  { names: /^@plant-store\/(deploy|workflows)$/, mayKnow: nothing },
  // Its doctor starts what tries the database that the tests were given.
  { names: /^@plant-store\/upkeep$/, mayKnow: nothing, mayRead: /^@plant-store\/testing-postgres$/ },
  // Its generator copies the template of an adapter.
  { names: /^plant-store-workspace$/, mayKnow: nothing, mayRead: /^@plant-store\/adapters-new-engine$/ },
];

/** What one side of the hexagon is made of: a driver, a framework, built-ins. */
interface Technology {
  /** The packages and built-ins that it comes as, these with `node:`. */
  readonly names: RegExp;
  /** The packages of the workspace that it belongs to. */
  readonly usedBy: RegExp;
  /** Those whose tests alone may use it, in addition. */
  readonly testsOf?: RegExp;
}

/** Whose technology is whose. What stands in no row is free to whoever names it in the manifest. */
const technologies: readonly Technology[] = [
  { names: /^(@types\/)?pg(-.+)?$/, usedBy: /^@plant-store\/(adapters-postgres|testing-postgres|bench)$/ },
  { names: /^kysely(-.+)?$/, usedBy: /^@plant-store\/(adapters-postgres|adapters-sqlite|bench)$/ },
  { names: /^jose$/, usedBy: /^@plant-store\/adapters-tokens$/ },
  { names: /^(fastify(-.+)?|@fastify\/.+)$/, usedBy: /^@plant-store\/(adapters-http|api|bench)$/ },
  // The tests of the service look into its file from outside.
  { names: /^node:sqlite$/, usedBy: /^@plant-store\/(adapters-sqlite|bench)$/, testsOf: /^@plant-store\/api$/ },
  // The doctor looks for a free port.
  {
    names: /^node:(dgram|dns|http|http2|https|net|tls)$/,
    usedBy: /^@plant-store\/(adapters-(http|postgres|tokens)|api|testing-postgres|bench|upkeep)$/,
  },
];

/** Whether a package of the workspace may use what comes under a name, in its source or in its tests. */
export function mayUse(user: string, name: string, inSource: boolean): boolean {
  const technology = technologies.find(({ names }) => names.test(name));
  return !technology || technology.usedBy.test(user) || (!inSource && technology.testsOf?.test(user) === true);
}

/** Where a package stands; undefined where no place has its name. */
export function placeOf(name: string): Place | undefined {
  return places.find(({ names }) => names.test(name));
}
