import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRecipe } from './recipes/recipe.ts';
import { replay } from './recipes/replay.ts';
import { create, startService } from './running-service.ts';
import { root, type ScratchCopy, scratchCopy } from './scratch-copy.ts';

const field = readRecipe('docs/recipes/add-an-optional-field.md');
const error = readRecipe('docs/recipes/add-an-error.md');
const adapter = readRecipe('docs/recipes/add-a-storage-adapter.md');

describe.each([
  [field, 7],
  [error, 3],
  [adapter, 7],
])('$path, replayed on a scratch copy', (recipe, steps) => {
  const copy = copyForThese();

  test('has its steps', () => expect(recipe.steps).toHaveLength(steps));

  // What a step needs the next one has to find, so the first that fails ends it.
  let failed = false;
  test.each(recipe.steps)('$title', { timeout: 180_000 }, async (step) => {
    if (failed) throw new Error('a step before this one failed');
    failed = true;
    await replay(copy(), recipe, step);
    failed = false;
  });

  if (recipe === field)
    test('works with plants, and with services, from before', async () => {
      const environment = { DATABASE_URL: `sqlite:${join(copy().path, 'plants.db')}` };
      const [old, noted] = [
        { id: 1, name: 'Fern' },
        { id: 2, name: 'Moss', notes: 'kept in the shade' },
      ];
      const answers = (repository: string, plants: readonly object[]) => answersOf(environment, repository, plants);
      expect(await answers(root, [old])).toEqual([{ name: 'Fern' }]);
      expect(await answers(copy().path, [old, noted, noted])).toEqual([
        { name: 'Fern' },
        { name: 'Moss', notes: noted?.notes },
        { name: 'Moss', notes: noted?.notes },
      ]);
      // Rolled back.
      expect(await answers(root, [old, noted, { id: 3, name: 'Ivy' }])).toEqual([
        { name: 'Fern' },
        { name: 'Moss' },
        { name: 'Ivy' },
      ]);
      // And forward again: nothing was lost.
      expect(await answers(copy().path, [noted, { id: 3, name: 'Ivy' }])).toEqual([
        { name: 'Moss', notes: noted?.notes },
        { name: 'Ivy' },
      ]);
    });
});

describe('a recipe that does not work any more', () => {
  const copy = copyForThese();

  test.each([
    ['a patch whose place has changed', '```diff\n--- a/LICENSE\n+++ b/LICENSE\n@@ -1 +1 @@\n-gone\n+new\n```\n'],
    ['a command that fails', '```sh\nfalse\n```\n'],
    ['a command that should fail', '```sh fails\ntrue\n```\n'],
    ['a line that is not printed', '```sh\necho this\n```\n\n```text\nthat\n```\n'],
  ])('is refused for %s, with its step and what to do', async (_, block) => {
    const recipe = readRecipe('docs/recipes/broken.md', () => `# Broken\n\n## 1. Do it\n\n${block}`);
    for (const step of recipe.steps)
      await expect(replay(copy(), recipe, step)).rejects.toThrow(/^docs\/recipes\/broken\.md, «1\. Do it»: the /);
    expect(recipe.steps).toHaveLength(1);
  });

  test('is refused for a block that nobody would replay', () => {
    const page = '# Broken\n\n## 1. Do it\n\n```ts\nreturn;\n```\n';
    expect(() => readRecipe('docs/recipes/broken.md', () => page)).toThrow('a block of «ts» is not replayed');
  });
});

test.each(['CONTRIBUTING.md', 'docs/architecture.md', 'docs/adr/README.md', field.path, error.path, adapter.path])(
  '%s names files that are there',
  (page) => {
    const text = readFileSync(join(root, page), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');
    const files = [...text.matchAll(/`((?:packages|apps|docs|turbo|tools|deploy|bench|\.ci)\/[\w./-]+)`/g)];
    expect(files.map(([, file = '']) => file).filter((file) => !existsSync(join(root, file)))).toEqual([]);
  },
);

/** One for all the tests of a group, removed behind them. */
function copyForThese(): () => ScratchCopy {
  const path = join(tmpdir(), `plant-store-${randomUUID()}`);
  let copy: ScratchCopy;
  beforeAll(async () => {
    copy = await scratchCopy(path);
  }, 120_000);
  afterAll(() => rm(path, { recursive: true, force: true }));
  return () => copy;
}

/** What a service answers to plants, one after the other. */
async function answersOf(
  environment: Record<string, string>,
  repository: string,
  plants: readonly object[],
): Promise<unknown[]> {
  const service = await startService(environment, repository);
  try {
    const answers: unknown[] = [];
    for (const plant of plants) answers.push(await (await create(service.url, plant)).json());
    return answers;
  } finally {
    service.process.kill('SIGTERM');
    await service.ended;
  }
}
