import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../src/workflow.ts';

test('testing-stores names the packages of the workspace that it needs at run time, and none for its own tests', () => {
  const read = (file: string) => JSON.parse(readFileSync(join(root, 'packages/testing-stores', file), 'utf8'));
  const needed = Object.keys(read('package.json').dependencies).filter((name) => name.startsWith('@plant-store/'));
  expect(read('turbo.json').tasks['test:inputs'].dependsOn).toEqual(needed.map((name) => `${name}#test:inputs`));
});
