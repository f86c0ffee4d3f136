import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../src/workflow.ts';

// Sources are inputs of whatever is built on their package.
test('the tests that the recipes patch are inputs of the task that replays them', () => {
  const pages = globSync('docs/recipes/*.md', { cwd: root }).map((page) => readFileSync(join(root, page), 'utf8'));
  const patched = pages.flatMap((page) => [...page.matchAll(/^--- a\/(.*)$/gm)].map(([, file = '']) => file));
  expect(patched.length).toBeGreaterThan(pages.length);
  const { tasks } = JSON.parse(readFileSync(join(root, 'apps/api/turbo.json'), 'utf8'));
  const inputs: readonly string[] = tasks.test.inputs;
  const named = inputs.filter((input) => /^\$TURBO_ROOT\$\/packages\//.test(input));
  // What a recipe makes and patches then is nobody's input.
  const there = patched.filter((file) => existsSync(join(root, file)));
  const outside = new Set(there.filter((file) => /^packages\/[^/]+\/(?!src\/)/.test(file)));
  expect(named).toEqual([...outside].map((file) => `$TURBO_ROOT$/${file}`).toSorted());
});

test('testing-stores names the packages of the workspace that it needs at run time, and none for its own tests', () => {
  const read = (file: string) => JSON.parse(readFileSync(join(root, 'packages/testing-stores', file), 'utf8'));
  const needed = Object.keys(read('package.json').dependencies).filter((name) => name.startsWith('@plant-store/'));
  expect(read('turbo.json').tasks['test:inputs'].dependsOn).toEqual(needed.map((name) => `${name}#test:inputs`));
});
