import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Revision } from '@plant-store/contracts-kit';
import { expect, onTestFinished, test } from 'vitest';
import { files, root } from '../repository.ts';

/** The revisions of a former version that have been removed or changed. */
function changed(former: readonly Revision[], now: readonly Revision[]): readonly Revision[] {
  const isUnchanged = ({ name, clauses }: Revision) =>
    now.some((each) => each.name === name && each.clauses.join() === clauses.join());
  return former.filter((revision) => !isUnchanged(revision));
}

test('a changed or removed revision is noticed', () => {
  const former = { name: '2026-12', clauses: ['PR-1', 'PR-2'] };
  expect(changed([former], [former, { name: '2027-01', clauses: ['PR-1', 'PR-2', 'PR-3'] }])).toEqual([]);
  expect(changed([former], [{ ...former, clauses: ['PR-1', 'PR-2', 'PR-3'] }])).toEqual([former]);
  expect(changed([former], [])).toEqual([former]);
});

const paths = files('*/src/revisions.ts', '*/contract/revisions.ts').filter(
  (path) => !path.startsWith('contracts/kit/'),
);

test.each(paths)('no commit has changed a revision of %s', async (path) => {
  const directory = mkdtempSync(join(tmpdir(), 'revisions-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  const now = revisionsIn(await import(join(root, path)));
  expect(now.length).toBeGreaterThan(0);
  for (const commit of git('log', '--format=%H', '--diff-filter=AM', '--', path).split('\n').filter(Boolean)) {
    const copy = join(directory, `${commit}.ts`);
    writeFileSync(copy, git('show', `${commit}:${path}`));
    expect(changed(revisionsIn(await import(copy)), now), commit).toEqual([]);
  }
});

/** The revisions that a module exports. */
function revisionsIn(module: object): readonly Revision[] {
  return Object.values(module).flat();
}

test('every contract has revisions', () => {
  expect(paths.length).toBeGreaterThan(1);
});
