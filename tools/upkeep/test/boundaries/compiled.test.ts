import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkCompiled } from '../../src/boundaries/check-compiled.ts';
import { workspace } from './workspace-with.ts';

const root = join(import.meta.dirname, '../../../..');
const settings = 'packages/domain/tsconfig.build.json';
const module = 'packages/domain/src/planted.ts';
let copy: string;

beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'plant-store-'));
  for (const path of ['tsconfig.base.json', settings, 'packages/domain/package.json', 'packages/domain/src'])
    cpSync(join(root, path), join(copy, path), { recursive: true });
  for (const path of ['node_modules', 'packages/domain/node_modules']) symlinkSync(join(root, path), join(copy, path));
});
afterEach(() => rmSync(copy, { recursive: true, force: true }));

function change(path: string, piece: string, instead: string): void {
  const text = readFileSync(join(copy, path), 'utf8');
  expect(text).toContain(piece);
  writeFileSync(join(copy, path), text.replace(piece, instead));
}

test('the domain is compiled with its source and the language, and nothing else', () => {
  expect(checkCompiled(root, workspace.packages)).toEqual([]);
  expect(checkCompiled(copy, workspace.packages)).toEqual([]);
});

test.each<[string, () => void, string]>([
  ['types', () => change(settings, '"rootDir"', '"types": ["node"], "rootDir"'), '@types/node/'],
  ['lib', () => change(settings, '"rootDir"', '"lib": ["ES2024", "DOM"], "rootDir"'), 'lib.dom.d.ts'],
  ['types for all', () => change('tsconfig.base.json', '"types": []', '"types": ["node"]'), '@types/node/'],
  ['lib for all', () => change('tsconfig.base.json', '["ES2024"]', '["ESNext"]'), 'lib.esnext'],
  ['include', () => change(settings, '["src"]', '["src", "../../node_modules/@types/node/fs.d.ts"]'), '@types/node/'],
  ['a reference', () => writeFileSync(join(copy, module), '/// <reference lib="dom" />\n'), 'lib.dom.d.ts'],
])('what comes along by %s is refused', (_, plant, names) => {
  plant();
  expect(checkCompiled(copy, workspace.packages)).toEqual([
    { rule: 'domain-knows-nothing', path: settings, line: 1, what: expect.stringContaining(names) },
  ]);
});

test('the domain has no word for what a runtime offers', () => {
  const words = 'fetch setTimeout setImmediate queueMicrotask process Buffer console localStorage crypto performance'
    .split(' ')
    .concat('require', '__dirname', 'import.meta.dirname', 'globalThis.fetch');
  writeFileSync(join(copy, module), words.map((word, at) => `export const word${at}: unknown = ${word};\n`).join(''));
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', settings, '--noEmit', '--pretty', 'false'], {
    cwd: copy,
    encoding: 'utf8',
  });
  const refused = stdout.match(/^\S+\.ts\(\d+/gm);
  expect(refused).toEqual(words.map((_, at) => `${module}(${at + 1}`));
});
