import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { read } from '../repository.ts';

/**
 * Changes that teams make again and again, each as a patch: `add-operation` and `add-field`. They show what a change costs. Tests
 * apply, compile and check them, so a change of the code that they touch includes them, as it does any caller.
 */
export const changes: readonly string[] = globSync('*.patch', { cwd: import.meta.dirname })
  .map((path) => basename(path, '.patch'))
  .toSorted();

/** The path of a patch in the repository. */
export const patchOf = (change: string): string => join('tools/changes', `${change}.patch`);

/** The files that a change touches, and whether it adds them. */
export function filesOf(change: string): readonly { readonly path: string; readonly isNew: boolean }[] {
  return read(patchOf(change))
    .split(/^diff --git /m)
    .slice(1)
    .map((part) => ({ path: /^\+\+\+ b\/(.+)$/m.exec(part)?.[1] ?? '', isNew: /^new file mode/m.test(part) }));
}
