import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const { configurations } = JSON.parse(readFileSync(join(root, '.vscode/launch.json'), 'utf8'));

test("debug configurations run on the workspace's Node, and name what is there", () => {
  expect(configurations.length).toBeGreaterThan(0);
  for (const { name, runtimeExecutable, program } of configurations) {
    expect(runtimeExecutable, name).toBe(`\${workspaceFolder}/node_modules/.bin/node`);
    const path = program.replace(`\${workspaceFolder}`, root);
    if (program !== `\${file}`) expect(existsSync(path), path).toBe(true);
  }
});
