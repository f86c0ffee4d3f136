import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contractReport } from '../src/contract-reports.ts';
import { runGate } from './run-gate.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { changesetOf, commit, git } from './scratch-repository.ts';

const report = 'packages/domain/api/plant-repository.contract.md';
const clauses = [
  { id: 'PR-1', title: 'an id is kept exactly' },
  { id: 'PR-2', title: 'a name is kept exactly' },
];
const reportOf = (of: typeof clauses) =>
  contractReport('@plant-store/domain', { name: 'PlantRepository', clauses: of });

test('a branch that leaves the ports alone is told so', () => {
  const { directory, run } = repository();
  commit(directory, { 'packages/domain/src/plant.ts': 'changed' });
  expect(run('main')).toEqual({ code: 0, output: 'changed ports: 0, without the changeset that they need: 0\n' });
});

test('clauses that came, went or changed are told to the owner, and a changeset is asked for', () => {
  const { directory, run } = repository();
  const next = [
    { id: 'PR-2', title: 'a name and a tag are kept exactly' },
    { id: 'PR-3', title: 'a taken id stays taken' },
  ];
  commit(directory, { [report]: reportOf(next) });
  const { code, output } = run('main');
  expect(code).toBe(1);
  expect(output.split('\n')).toEqual([
    'PlantRepository: for @plant-store/port-owners, who own this port:',
    '  added: PR-3 a taken id stays taken',
    '  removed: PR-1 an id is kept exactly',
    '  changed: PR-2 a name is kept exactly → a name and a tag are kept exactly',
    `  changed file: ${report}`,
    'PlantRepository: no changeset names @plant-store/domain as major: run "npx -y pnpm@12 changeset" and commit the file that it writes',
    'changed ports: 1, without the changeset that they need: 1',
    '',
  ]);
});

test("a change of the port's own file is told, and a changeset that names its package satisfies", () => {
  const { directory, run } = repository();
  const changeset = { '.changeset/some.md': changesetOf({ '@plant-store/domain': 'patch' }) };
  commit(directory, { 'packages/domain/src/plant-repository.ts': 'changed', ...changeset });
  const { code, output } = run('main');
  expect({ code, output }).toEqual({
    code: 0,
    output: expect.stringContaining('  changed file: packages/domain/src/plant-repository.ts\n'),
  });
});

const clauseAdded = [...clauses, { id: 'PR-3', title: 'a taken id stays taken' }];
const clauseChanged = clauses.map(({ id }) => ({ id, title: 'otherwise' }));
const clauseRemoved = clauses.slice(1);
test.each([
  ['added', clauseAdded],
  ['changed', clauseChanged],
  ['removed', clauseRemoved],
])('a clause that is %s asks for a major changeset', (_, next) => {
  const { directory, run } = repository();
  commit(directory, {
    [report]: reportOf(next),
    '.changeset/some.md': changesetOf({ '@plant-store/domain': 'minor' }),
  });
  const { code, output } = run('main');
  expect({ code, output }).toEqual({
    code: 1,
    output: expect.stringContaining('but the changeset says minor: write "@plant-store/domain": major\n'),
  });
  commit(directory, { '.changeset/some.md': changesetOf({ '@plant-store/domain': 'major' }) });
  expect(run('main').code).toBe(0);
});

test('the clauses of a new port bind nobody yet, and ask for no major changeset', () => {
  const { directory, run } = repository();
  commit(directory, {
    'packages/domain/api/plant-export.contract.md': contractReport('@plant-store/domain', {
      name: 'PlantExport',
      clauses,
    }),
    '.changeset/some.md': changesetOf({ '@plant-store/domain': 'minor' }),
  });
  const { code, output } = run('main');
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('  added: PR-1 an id is kept exactly') });
});

test('two clauses of one number are refused, whatever the changeset says', () => {
  const { directory, run } = repository();
  const twice = { [report]: reportOf([...clauses, { id: 'PR-2', title: 'a tag is kept exactly' }]) };
  commit(directory, { ...twice, '.changeset/some.md': changesetOf({ '@plant-store/domain': 'major' }) });
  const { code, output } = run('main');
  expect({ code, output }).toEqual({
    code: 1,
    output: expect.stringContaining('PlantRepository: more than one clause has the number PR-2: take the next one'),
  });
});

test('a changeset for another package, or one that was there before, does not satisfy', () => {
  const { directory, run } = repository();
  const changeset = '---\n"@plant-store/api": minor\n---\n\nAnother.\n';
  commit(directory, { 'packages/domain/src/plant-repository.ts': 'changed', '.changeset/other.md': changeset });
  expect(run('main').code).toBe(1);
});

test('a contract that goes altogether is told', () => {
  const { directory, run } = repository();
  rmSync(join(directory, report));
  commit(directory, {});
  expect(run('main').output).toContain('  removed: PR-1 an id is kept exactly\n  removed: PR-2');
});

test('in GitHub Actions it stands at the file', () => {
  const { directory, run } = repository();
  commit(directory, { 'packages/domain/src/plant-repository.ts': 'changed' });
  const { output } = run('main', { GITHUB_ACTIONS: 'true' });
  const file = 'packages/domain/src/plant-repository.ts';
  expect(output.split('\n').slice(0, 2)).toEqual([
    `::notice file=${file},title=PlantRepository::for @plant-store/port-owners, who own this port:%0A  changed file: ${file}`,
    expect.stringMatching(`^::error file=${file},title=PlantRepository::no changeset names @plant-store/domain`),
  ]);
});

test('a base that is not there, as in a shallow clone, is no base with nothing changed', () => {
  const { code, output } = repository().run('0123456789012345678901234567890123456789');
  expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(/^0123.* "fetch-depth: 0"\n$/) });
});

/** A repository with a port, on a branch that begins at `main`. */
function repository() {
  const directory = scratchDirectory();
  git(directory, 'init', '--quiet', '--initial-branch=main');
  commit(directory, {
    '.github/CODEOWNERS': `* @plant-store/all\n/${report} @plant-store/port-owners\n/packages/domain/src/plant-repository.ts @plant-store/port-owners\n`,
    [report]: reportOf(clauses),
    'packages/domain/src/plant-repository.ts': '',
    '.changeset/before.md': '---\n"@plant-store/domain": patch\n---\n\nBefore.\n',
  });
  git(directory, 'switch', '--quiet', '--create', 'branch');
  const run = (base: string, env?: NodeJS.ProcessEnv) => runGate('contract-changes', directory, base, env);
  return { directory, run };
}
