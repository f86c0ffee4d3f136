import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a file may not say, and no import shows. */
interface TextRule {
  readonly name: string;
  readonly files: string;
  readonly pattern: RegExp;
}

export const textRules: readonly TextRule[] = [
  // What is computed may be anything.
  { name: 'domain-imports-nothing-computed', files: 'packages/domain/src/**/*.ts', pattern: /\bimport\s*\(/ },
  // Its tsconfig has no types of Node or of a browser. These would bring them back.
  {
    name: 'domain-declares-no-globals',
    files: 'packages/domain/src/**/*.ts',
    pattern: /^\s*(export\s+)?declare\s|^\s*\/\/\/\s*</m,
  },
  // An import of such a path breaks `through-exports-only`.
  {
    name: 'adapters-read-no-file-of-the-domain',
    files: 'packages/adapters-*/{src,test}/**/*.ts',
    pattern: /^(?!\s*(import|export)\b).*['"`/](domain\/(src|test|dist|package)|domain['"`],)/m,
  },
];

/** Each file of a directory that breaks one of the rules, with the name of the rule. */
export function textViolations(directory: string): readonly string[] {
  return textRules.flatMap(({ name, files, pattern }) =>
    globSync(files, { cwd: directory })
      .filter((path) => pattern.test(readFileSync(join(directory, path), 'utf8')))
      .map((path) => `${path} ${name}`),
  );
}
