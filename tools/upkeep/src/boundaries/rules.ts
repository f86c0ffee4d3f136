/** A rule, in the words that somebody who broke it needs. */
export interface Rule {
  readonly why: string;
  /** What to do in place of what was done. */
  readonly instead: string;
}

/** Every rule about what may know what, under its name. */
export const rules = {
  'domain-knows-nothing': {
    why: 'the domain runs anywhere and outlives every technology: no package, no Node built-in, no global of a runtime',
    instead: 'declare a port in packages/domain/src for what is needed, and let an adapter fulfil it',
  },
  'domain-assumes-nothing': {
    why: 'JavaScript, a declaration, globalThis, eval, Function and a silenced compiler let a global of a runtime in, and nobody sees it',
    instead:
      'write it in a .ts file, take what is needed as a parameter, or through a port in packages/domain/src, and let the compiler check it',
  },
  'arrows-point-inwards': {
    why: 'an adapter knows the domain and its own technology; only apps/api (and bench, which measures) knows several',
    instead:
      'talk through a port of the domain and let apps/api bring the two together; what two adapters share goes into the domain, or into a package that both may know',
  },
  'own-technology-only': {
    why: 'an adapter that reaches for the technology of another can only be exchanged together with it',
    instead:
      'leave it to the adapter that it belongs to, and reach that through a port of the domain; an adapter made of it gets its name in technologies in tools/upkeep/src/boundaries/places.ts',
  },
  'testing-stays-outside': {
    why: 'what serves tests is no part of the service that runs; src/under-test alone may know testing-stores',
    instead: 'move the code to src/under-test or test, or do without it',
  },
  'declared-in-the-manifest': {
    why: 'a package works alone only if its own package.json names all that it needs, and src gets no devDependencies',
    instead: 'name it in this package\'s dependencies as "catalog:" (in devDependencies where tests alone need it)',
  },
  'through-exports-only': {
    why: 'what a package does not export its team may change without asking',
    instead: 'import one of the names under "exports" in its package.json, or ask its owner for another',
  },
  'own-files-only': {
    why: 'a file of another package that is read or started by its path couples like an import, and is not there when the package is installed',
    instead:
      'import what its owner exports, or ask for it; where tests or tools have to read there, say so as "mayRead" in tools/upkeep/src/boundaries/places.ts',
  },
  'own-source-by-relative-path': {
    why: 'a source that imports its own package by name goes round through its exports, often in a circle',
    instead: 'import the file itself, by its relative path',
  },
  'source-knows-no-tests': {
    why: 'tests and settings are not in the package when it is installed',
    instead: 'move what both need into src',
  },
  'imports-are-visible': {
    why: 'a specifier that is computed, node:module with its createRequire and process.getBuiltinModule get past every rule here',
    instead: 'write an import, or import() with the specifier as a literal',
  },
  'no-cycles': {
    why: 'what stands in a circle can be read, tested and changed only as a whole',
    instead: 'move what both sides need into a third file that imports neither',
  },
  'a-name-means-one-package': {
    why: 'of two packages with one name the rules, and whoever imports it, would see either',
    instead: 'give this one another name',
  },
  'no-borrowed-names': {
    why: 'whoever reads the import believes in one package and gets another, and so do the rules here',
    instead:
      'depend on it under its own name: take the alias out of catalog or overrides in pnpm-workspace.yaml, package.json or .pnpmfile.mjs, and run "npx -y pnpm@12 install"',
  },
  'every-package-has-its-place': {
    why: 'a package that no rule is about may do anything',
    instead:
      'name it adapters-*, testing-* or testing-support as what it is, or give it a row in tools/upkeep/src/boundaries/places.ts',
  },
} as const satisfies Readonly<Record<string, Rule>>;

export type RuleName = keyof typeof rules;
