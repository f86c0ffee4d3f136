import { badge } from '@plant-store/contracts-kit/cli';
import { expect, test } from 'vitest';
import { revisions } from '../contracts/revisions.ts';
import { files, read } from '../repository.ts';

const FOLDER = 'docs/conformance';
const reports = files(`${FOLDER}/*.json`).filter((path) => !path.endsWith('.badge.json'));
/** Only a workflow has a cluster of Citus. */
const stores = files('packages/*/harness/index.ts')
  .map((path) => path.replace(/^packages\/adapters-([^/]+).*/, '$1'))
  .filter((store) => store !== 'citus');

const ours = stores.flatMap((store) => ['verify', 'verify-store'].map((name) => `${FOLDER}/${name}-${store}.json`));

test.each(ours)('%s is there, and no clause has failed; otherwise run npx -y pnpm@12 conformance', (path) => {
  expect(stores.length).toBeGreaterThan(3);
  expect(reports).toContain(path);
  expect(JSON.parse(read(path))).toMatchObject({ failed: 0, knownFailures: 0 });
});

test.each(reports)(
  '%s has every clause of its revision, the counts and the badge of its verdicts, and no secret',
  (path) => {
    const report = JSON.parse(read(path));
    const contracts = report.contract === 'PlantStore' ? ['PlantRepository', 'PlantExport'] : [report.contract];
    const clauses = contracts.flatMap((name) => revisions()[name]?.[report.revision]?.split(' '));
    const ids = report.results.map(({ id }: { id: string }) => id);
    expect(ids.filter((id: string) => id !== 'PLACE')).toEqual(clauses);
    const given: readonly string[] = report.results.map(({ verdict }: { verdict: string }) => verdict);
    expect(Object.values(verdicts)).toEqual(expect.arrayContaining([...given]));
    for (const [count, verdict] of Object.entries(verdicts))
      expect(report).toHaveProperty(count, given.filter((each) => each === verdict).length);
    expect(report.partial).toBe(report.notChecked > 0);
    expect(read(path)).not.toMatch(/:\/\/[^/"\s]*@|Token-|\/(home|root|tmp|work)\//);
    expect(read(path.replace('.json', '.badge.json'))).toBe(`${badge(report)}\n`);
  },
);

/** The verdict that each number of a report counts. */
const verdicts = {
  passed: 'passed',
  notPromised: 'not-promised',
  notChecked: 'not-checked',
  failed: 'failed',
  knownFailures: 'known-failure',
};
