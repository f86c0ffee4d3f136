import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { type ModuleOfPackage, ownerOf } from './ownership.ts';
import { packageBehind } from './package-behind.ts';
import { mayUse, type Place } from './places.ts';
import type { Reference } from './references.ts';
import type { RuleName } from './rules.ts';
import { isRelative, packageNameOf } from './specifier.ts';
import type { Violation } from './violation.ts';
import type { Package } from './workspace.ts';

/** The rule that a reference breaks; the first one where it breaks several. */
export function checkReference(
  { specifier, line }: Reference,
  module: ModuleOfPackage,
  packages: readonly Package[],
  place: Place | undefined,
): readonly Violation[] {
  const rule =
    specifier === undefined
      ? module.isSource && place?.served && 'imports-are-visible'
      : isRelative(specifier)
        ? brokenByPath(posix.join(posix.dirname(module.path), specifier), module, packages)
        : brokenByName(specifier, module, packages, place);
  const what = specifier === undefined ? 'imports what cannot be seen' : `imports ${specifier}`;
  return rule ? [{ rule, path: module.path, line, what }] : [];
}

/** The rule that a way to a target breaks, a path from the root of the workspace. */
export function brokenByPath(
  target: string,
  { owner, isSource }: ModuleOfPackage,
  packages: readonly Package[],
): RuleName | undefined {
  if (/(^|\/)node_modules(\/|$)/.test(target)) return 'through-exports-only';
  // Settings of a package build on those of the workspace.
  const theirs = ownerOf(target, packages);
  if (theirs !== owner && (isSource || theirs.folder !== '' || /^\.\.(\/|$)/.test(target)))
    return 'through-exports-only';
  const unshipped = target.startsWith(`${owner.folder}/test/`) || /\.config\.[cm]?[jt]s$/.test(target);
  return isSource && unshipped ? 'source-knows-no-tests' : undefined;
}

function brokenByName(
  specifier: string,
  { path, owner, isSource }: ModuleOfPackage,
  packages: readonly Package[],
  place: Place | undefined,
): RuleName | undefined {
  const name = packageNameOf(specifier);
  if (isSource && place?.pure) return 'domain-knows-nothing';
  if (isSource && place?.served && /^(node:)?module$/.test(specifier)) return 'imports-are-visible';
  const technology = isBuiltin(specifier) ? `node:${packageNameOf(specifier.replace(/^node:/, ''))}` : name;
  if (!mayUse(owner.manifest.name, technology, isSource)) return 'own-technology-only';
  if (isBuiltin(specifier)) return undefined;
  if (/^(\/|[a-z]+:)/.test(specifier)) return 'through-exports-only';

  const theirs = packageBehind(name, owner, packages);
  const real = theirs?.manifest.name ?? name;
  if (theirs && isSource && theirs === owner) return 'own-source-by-relative-path';
  if (theirs && isSource && !place?.mayKnow.test(real)) {
    if (!place?.underTestMayKnow?.test(real)) return 'arrows-point-inwards';
    if (!path.startsWith(`${owner.folder}/src/under-test/`)) return 'testing-stays-outside';
  }
  if (theirs && !isSource && theirs !== owner && place?.testsMayKnow && !place.testsMayKnow.test(real))
    return 'arrows-point-inwards';
  if (theirs && !Object.hasOwn(theirs.manifest.exports ?? {}, `.${specifier.slice(name.length)}`))
    return 'through-exports-only';
  return theirs === owner || isDeclared(name, owner, isSource) ? undefined : 'declared-in-the-manifest';
}

function isDeclared(name: string, { manifest }: Package, isSource: boolean): boolean {
  const { dependencies, peerDependencies, optionalDependencies, devDependencies } = manifest;
  const declared = { ...dependencies, ...peerDependencies, ...optionalDependencies, ...(!isSource && devDependencies) };
  // `/// <reference types="node" />` is about @types/node, which says nothing about what runs.
  return Object.hasOwn(declared, name);
}
