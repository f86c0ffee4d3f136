import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join, posix } from 'node:path';
import { placeOf } from './places.ts';
import type { Violation } from './violation.ts';
import type { Package } from './workspace.ts';

/**
 * What a pure package is compiled with besides its own source and the language: with `types`, `lib`, `include` or a
 * reference, the globals of a runtime would come along, which nobody has to import. The compiler itself is asked.
 */
export function checkCompiled(root: string, packages: readonly Package[]): readonly Violation[] {
  return packages
    .filter(({ manifest }) => placeOf(manifest.name)?.pure)
    .flatMap(({ folder }) => {
      const path = posix.join(folder, 'tsconfig.build.json');
      const source = `${realpathSync(join(root, folder, 'src'))}/`;
      const foreign = compiledFiles(root, path).filter((file) => !file.startsWith(source) && !LANGUAGE.test(file));
      // Types of a runtime bring files of the compiler's along, which say less.
      const file = foreign.find((each) => !each.includes('/@typescript/')) ?? foreign[0];
      if (!file) return [];
      const what = `is compiled with ${file.replace(/^.*\/node_modules\//, '')}`;
      return [{ rule: 'domain-knows-nothing' as const, path, line: 1, what }];
    });
}

/** What the compiler knows of ECMAScript alone. */
const LANGUAGE = /\/node_modules\/@typescript\/[^/]+\/lib\/lib\.(es\d+|decorators)(\.\w+)*\.d\.ts$/;

function compiledFiles(root: string, tsconfig: string): readonly string[] {
  const arguments_ = ['-p', tsconfig, '--listFilesOnly'];
  const listed = execFileSync(join(root, 'node_modules/.bin/tsc'), arguments_, { cwd: root, encoding: 'utf8' });
  const files = listed.trim().split('\n');
  if (files.length < 2) throw new Error(`${tsconfig} compiles nothing: ${listed}`);
  return files;
}
