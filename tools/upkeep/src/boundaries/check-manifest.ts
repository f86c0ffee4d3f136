import { packageBehind } from './package-behind.ts';
import { mayUse, type Place } from './places.ts';
import type { RuleName } from './rules.ts';
import type { Violation } from './violation.ts';
import type { Package } from './workspace.ts';

/** What a package's own package.json says against the rules. */
export function checkManifest(
  { folder, text, manifest }: Package,
  packages: readonly Package[],
  place: Place | undefined,
): readonly Violation[] {
  const violation = (rule: RuleName, named: string, what: string): Violation => ({
    rule,
    path: folder ? `${folder}/package.json` : 'package.json',
    line: 1 + text.split('\n').findIndex((line) => line.includes(`"${named}"`)),
    what,
  });
  if (!place) return [violation('every-package-has-its-place', manifest.name, `is called ${manifest.name}`)];

  const first = packages.find((each) => each.manifest.name === manifest.name);
  if (first && first.folder !== folder)
    return [violation('a-name-means-one-package', manifest.name, `is called ${manifest.name}, as ${first.folder} is`)];

  const { dependencies, devDependencies, peerDependencies, optionalDependencies } = manifest;
  // What belongs to the workspace itself, its runtime for one, is nobody's dependency.
  const needed = folder === '' ? [] : Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies });
  if (place.pure) return needed.map((name) => violation('domain-knows-nothing', name, `depends on ${name}`));

  const unknown = (names: readonly string[], ...mayKnow: readonly (RegExp | undefined)[]) =>
    names.flatMap((name) => {
      const real = packageBehind(name, { folder, text, manifest }, packages)?.manifest.name;
      if (!real || mayKnow.some((each) => each?.test(real))) return [];
      const what = real === name ? `depends on ${name}` : `depends on ${name}, which is ${real}`;
      return [violation('arrows-point-inwards', name, what)];
    });
  const foreign = (names: readonly string[], inSource: boolean) =>
    names
      .filter((name) => !mayUse(manifest.name, name, inSource))
      .map((name) => violation('own-technology-only', name, `depends on ${name}`));
  const forTests = Object.keys(devDependencies ?? {});
  return [
    ...foreign(needed, true),
    ...foreign(forTests, false),
    ...unknown(needed, place.mayKnow, place.underTestMayKnow),
    ...(place.testsMayKnow ? unknown(forTests, place.testsMayKnow) : []),
  ];
}
