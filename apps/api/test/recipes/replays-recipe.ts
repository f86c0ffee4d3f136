import { describe, expect, test } from 'vitest';
import type { ScratchCopy } from '../scratch-copy.ts';
import { copyForThese } from './copy-for-these.ts';
import { readRecipe } from './recipe.ts';
import { replay } from './replay.ts';

/** Tests that the steps of a recipe, this many, work out one after the other; more tests of what they made may follow. */
export function replaysRecipe(path: string, steps: number, more: (copy: () => ScratchCopy) => void = () => {}): void {
  const recipe = readRecipe(path);
  describe(`${path}, replayed on a scratch copy`, () => {
    const copy = copyForThese();

    test('has its steps', () => expect(recipe.steps).toHaveLength(steps));

    // What a step needs the next one has to find, so the first that fails ends it.
    let failed = false;
    test.each(recipe.steps)('$title', async (step) => {
      if (failed) throw new Error('a step before this one failed');
      failed = true;
      await replay(copy(), recipe, step);
      failed = false;
    });

    more(copy);
  });
}
