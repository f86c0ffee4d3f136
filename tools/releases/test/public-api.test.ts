import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { apiReports } from '../src/api-reports.ts';
import { clausesOf, contractReports } from '../src/contract-reports.ts';
import type { Report } from '../src/report.ts';
import type { WorkspacePackage } from '../src/workspace.ts';
import { scratchDirectory, write } from './scratch-directory.ts';

const some: WorkspacePackage = {
  name: '@plant-store/some',
  version: '1.0.0',
  folder: 'packages/some',
  isPrivate: false,
  entryPoints: new Map([
    ['.', { types: './dist/index.d.ts' }],
    ['./contract', { types: './dist/contract.d.ts', default: './dist/contract.js' }],
  ]),
  files: ['dist', 'src'],
  scripts: {},
};
const index = 'packages/some/dist/index.d.ts';
const state = ({ file, changed, complaints }: Report) => [file, changed, complaints];

test('a report of each entry point is written, and any change of what is exported is noticed', {
  timeout: 120_000,
}, () => {
  const root = scratchDirectory();
  write(root, {
    'packages/some/package.json': '{"name":"@plant-store/some","version":"1.0.0","type":"module"}',
    [index]:
      'interface Options { readonly size: number }\nexport declare function openSome(options: Options): void;\nexport {};\n',
    'packages/some/dist/contract.d.ts': 'export declare const contract: string;\n',
  });
  const files = ['packages/some/api/index.api.md', 'packages/some/api/contract.api.md'];
  const compared = () => apiReports([some], false, root).map(state);

  expect(compared()).toEqual(files.map((file) => [file, true, []]));
  apiReports([some], true, root);
  expect(compared()).toEqual(files.map((file) => [file, false, []]));
  expect(readFileSync(join(root, 'packages/some/api/index.api.md'), 'utf8')).toContain('function openSome(');

  // Not exported by itself, but part of what is.
  write(root, {
    [index]:
      'interface Options { readonly size: string }\nexport declare function openSome(options: Options): void;\nexport {};\n',
  });
  expect(compared().map(([, changed]) => changed)).toEqual([true, false]);
});

test("a contract's clauses are reported on, and a change of them is noticed", async () => {
  const root = scratchDirectory();
  const builtWith = (title: string) => ({
    'packages/some/package.json': '{"type":"module"}',
    'packages/some/dist/contract.js': `export const show = () => {};\nexport const some = { name: 'SomePort', clauses: [{ id: 'SP-1', title: '${title}' }] };\n`,
  });
  write(root, builtWith('it keeps what it is given'));
  const file = 'packages/some/api/some-port.contract.md';

  expect((await contractReports([some], true, root)).map(state)).toEqual([[file, true, []]]);
  expect((await contractReports([some], false, root)).map(state)).toEqual([[file, false, []]]);
  const text = readFileSync(join(root, file), 'utf8');
  expect([...clausesOf(text)]).toEqual([['SP-1', 'it keeps what it is given']]);

  write(root, { [file]: text.replace('keeps', 'loses') });
  expect((await contractReports([some], false, root)).map(state)).toEqual([[file, true, []]]);
});
