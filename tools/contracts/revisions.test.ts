import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { files, read, root } from '../repository.ts';
import { missing, type Revisions, revisions } from './revisions.ts';

const PATH = 'contracts/revisions.json';
const released: Revisions = JSON.parse(read(PATH));

const mailbox = (...clauses: readonly (readonly [id: string, since: string])[]) =>
  revisions([
    { name: 'Mailbox', clauses: clauses.map(([id, since]) => ({ id, since, title: '', check: async () => {} })) },
  ]);
const first = mailbox(['MB-1', '2026-12'], ['MB-2', '2026-12']);

test('clauses of a later month open a revision, and a released one stays as it is', () => {
  const later = mailbox(['MB-1', '2026-12'], ['MB-3', '2027-01'], ['MB-2', '2026-12'], ['MB-4', '2027-01']);
  expect(later).toEqual({ Mailbox: { '2026-12': 'MB-1 MB-2', '2027-01': 'MB-1 MB-3 MB-2 MB-4' } });
  expect(missing(first, later)).toEqual([]);
});

test.each<[change: string, now: Revisions]>([
  ['joins', mailbox(['MB-1', '2026-12'], ['MB-2', '2026-12'], ['MB-3', '2026-12'])],
  ['moves out of', mailbox(['MB-1', '2026-12'], ['MB-2', '2027-01'])],
  ['leaves', mailbox(['MB-1', '2026-12'])],
])('a clause that %s a released revision is noticed', (_, now) => {
  expect(missing(first, now)).toEqual(['Mailbox, 2026-12: MB-1 MB-2']);
});

test('no clause has joined or left a released revision: a new one names a later month in `since`', () => {
  expect(missing(released, revisions())).toEqual([]);
});

test('no commit has changed a released revision', () => {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  for (const commit of git('log', '--format=%H', '--diff-filter=AM', '--', PATH).split('\n').filter(Boolean))
    expect(missing(JSON.parse(git('show', `${commit}:${PATH}`)), released), commit).toEqual([]);
});

test('no release leaves a revision open: `pnpm revisions` is one of its steps', () => {
  // A release takes all changesets.
  const isReleasing = files('.changeset/*.md').length === 0;
  expect(isReleasing ? missing(revisions(), released) : []).toEqual([]);
});

test('every clause in the source of a contract is in a revision', () => {
  const declared = files('contracts/*/src/*.ts').flatMap((path) => read(path).match(/(?<=^ *id: ')[A-Z]+-\d+/gm) ?? []);
  const ids = Object.values(revisions()).flatMap((months) => Object.values(months).at(-1)?.split(' ') ?? []);
  expect(declared.toSorted()).toEqual(ids.toSorted());
});
