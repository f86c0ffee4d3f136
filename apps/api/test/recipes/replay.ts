import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ScratchCopy } from '../scratch-copy.ts';
import type { Action, Recipe, Step } from './recipe.ts';

/**
 * Does in the copy what a step says, no more and no less.
 *
 * @throws {Error} when it does not work out, with what the recipe's author has to do.
 */
export async function replay(copy: ScratchCopy, { path }: Recipe, step: Step): Promise<void> {
  for (const action of step.actions) {
    const fault = action.kind === 'patch' ? await applied(copy, action.patch) : await ran(copy, action);
    if (fault) throw new Error(`${path}, «${step.title}»: ${fault}`);
  }
}

/** Without the counts of lines, so that a person may edit a patch. */
async function applied(copy: ScratchCopy, patch: string): Promise<string | undefined> {
  await writeFile(join(copy.path, '.git/recipe.patch'), patch);
  const { code, output } = await copy.shell('git apply --recount .git/recipe.patch');
  if (code === 0) return undefined;
  const files = [...patch.matchAll(/^\+\+\+ b\/(.*)$/gm)].map(([, file]) => file).join(' ');
  return `the patch does not apply any more. Make the change by hand in a clean clone that has the steps before it, and put here what this prints: git add -N . && git diff -U1 ${files}\n${output}`;
}

async function ran(
  copy: ScratchCopy,
  { commands, succeeds, prints }: Extract<Action, { kind: 'run' }>,
): Promise<string | undefined> {
  const { code, output } = await copy.shell(`set -e\n${commands}`);
  if ((code === 0) !== succeeds)
    return `the commands should ${succeeds ? 'succeed' : 'fail'}, and ended with ${code}:\n${commands}\n${output}`;
  const missing = prints.filter((line) => !output.includes(line.trim()));
  if (missing.length === 0) return undefined;
  return `the commands do not print any more:\n${missing.join('\n')}\nbut:\n${output}`;
}
