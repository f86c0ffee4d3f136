import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { copyForThese } from './recipes/copy-for-these.ts';
import { readRecipe } from './recipes/recipe.ts';
import { replay } from './recipes/replay.ts';
import { root } from './scratch-copy.ts';

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

test.each([
  'CONTRIBUTING.md',
  'docs/architecture.md',
  'docs/adr/README.md',
  ...globSync('docs/recipes/*.md', { cwd: root }),
])('%s names files that are there', (page) => {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');
  const files = [...text.matchAll(/`((?:packages|apps|docs|turbo|tools|deploy|bench|\.ci)\/[\w./-]+)`/g)];
  expect(files.map(([, file = '']) => file).filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
