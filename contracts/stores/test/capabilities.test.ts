import { type ClauseResult, realTime, runContract } from '@plant-store/contracts-kit';
import { inVirtualTime } from '@plant-store/contracts-kit/vitest';
import { expect, test } from 'vitest';
import { clausesWithOutages, type PreparedStore, plantRepositoryContract, type StoreHarness } from '../src/index.ts';
import type { StoreMutation } from '../src/model/model-store.ts';
import { modelHarness } from './model-harness.ts';

// PR-1 to PR-5 need nothing but a store, and take most of the time.
const clauses = plantRepositoryContract.clauses.filter(({ id }) => !/^PR-[1-5]$/.test(id));
const contract = { ...plantRepositoryContract, clauses };
const idsOf = (these: readonly { readonly id: string }[]) => these.map(({ id }) => id).join(' ');
const OUTAGES = idsOf(clauses.filter(clausesWithOutages(modelHarness(() => ({}), realTime))));

test('a clause without its capability is not promised, and all others pass', async () => {
  const none = { durable: false, survivesCrash: false, survivesServerCrash: false, shared: false, external: false };
  const results = await check(({ prepare, capabilities }) => ({ prepare, capabilities: { ...capabilities, ...none } }));
  const others = results.filter(({ verdict }) => verdict !== 'passed');
  expect(others.filter(({ verdict }) => verdict !== 'not-promised')).toEqual([]);
  expect(idsOf(others)).toBe('PR-7 PR-10 PR-11 PR-12 PR-13 PR-17 PR-18 PR-19 PR-22 PR-23');
});

test.each([
  ['startOutage', OUTAGES],
  ['refuse', 'PR-16 PR-20 PR-26'],
  ['openInProcess', 'PR-11'],
  ['killServer', 'PR-18'],
  ['failCommits', 'PR-22'],
  ['faults', 'PR-20 PR-23'],
  ['export', 'PR-11 PR-18'],
] as const)('without %s the clauses %s are not checked, and with one that fails they fail', async (name, needs) => {
  const without = await check(preparing(({ [name]: _, ...prepared }) => prepared as PreparedStore));
  expect(idsOf(without.filter(({ verdict }) => verdict !== 'passed'))).toBe(needs);
  const supply = `supply ${name === 'openInProcess' ? 'opener' : name} to adapterHarness`;
  expect(without.flatMap((result) => ('message' in result ? [result.message] : []))).toEqual(
    needs.split(' ').map(() => expect.stringContaining(supply)),
  );
  const fails = (): never => {
    throw new Error('exit code 1');
  };
  const failing = name === 'faults' ? { faults: { 'exit code 1': fails } } : { [name]: fails };
  const results = await check(preparing((prepared) => ({ ...prepared, ...failing })));
  expect(idsOf(results.filter(({ verdict }) => verdict === 'failed'))).toBe(needs);
});

test('a database that cannot be dropped fails a clause, and does not hide an earlier failure', async () => {
  const dispose = () => Promise.reject(new Error('exit code 1'));
  const wrong: StoreMutation = () => ({ toPlant: () => ({ name: 'wrong' }) });
  const results = await check(
    preparing((prepared) => ({ ...prepared, dispose })),
    wrong,
  );
  expect(results.filter(({ verdict }) => verdict === 'passed')).toEqual([]);
  expect(results.find(({ id }) => id === 'PR-6')).toMatchObject({ message: expect.stringContaining('wrong') });
  expect(results.find(({ id }) => id === 'PR-14')).toMatchObject({ message: expect.stringContaining('dispose()') });
});

function check(
  change: (harness: StoreHarness) => StoreHarness,
  mutation: StoreMutation = () => ({}),
): Promise<readonly ClauseResult[]> {
  return inVirtualTime((tools) => runContract(contract, change(modelHarness(mutation, tools)), tools));
}

function preparing(change: (prepared: PreparedStore) => PreparedStore): (harness: StoreHarness) => StoreHarness {
  return (harness) => ({ ...harness, prepare: async () => change(await harness.prepare()) });
}
