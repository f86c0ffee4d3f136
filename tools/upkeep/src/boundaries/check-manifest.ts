import type { Place } from './places.ts';
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

  const { dependencies, peerDependencies, optionalDependencies } = manifest;
  // What belongs to the workspace itself, its runtime for one, is nobody's dependency.
  const needed = folder === '' ? [] : Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies });
  if (place.pure) return needed.map((name) => violation('domain-knows-nothing', name, `depends on ${name}`));
  return needed
    .filter((name) => packages.some((each) => each.manifest.name === name))
    .filter((name) => !place.mayKnow.test(name) && !place.underTestMayKnow?.test(name))
    .map((name) => violation('arrows-point-inwards', name, `depends on ${name}`));
}
