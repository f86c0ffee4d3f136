/** What a package.json says, as far as boundaries go. */
interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/**
 * Contracts and testing packages that installing a served package would bring along, one line each. An adapter's harness has
 * them as optional peers; `apps/api` runs the contracts as a command, and so depends on them.
 */
export function forbiddenDependencies({
  name,
  dependencies,
  peerDependencies,
  peerDependenciesMeta,
}: Manifest): string[] {
  const [, kind = ''] = /^@plant-store\/(api|contracts-|testing-)?/.exec(name) ?? [];
  const refused = { '': /\/(contracts|testing)-/, api: /\/testing-/, 'contracts-': /\/testing-/, 'testing-': /^$/ }[
    kind
  ];
  const peers = Object.keys(peerDependencies ?? {}).filter((peer) => peerDependenciesMeta?.[peer]?.optional !== true);
  return [...Object.keys(dependencies ?? {}), ...peers]
    .filter((each) => refused?.test(each))
    .map((each) => `${name} depends on ${each}`);
}
