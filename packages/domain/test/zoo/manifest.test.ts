import { expect, test } from 'vitest';
import {
  type ContractReport,
  type PreparedStore,
  plantRepositoryContract,
  runContract,
  type StoreUnderTest,
} from '../../src/contract/index.ts';
import type { Plant } from '../../src/index.ts';
import { ModelStore } from './model-store.ts';
import { modelUnderTest, type StoreClass } from './model-under-test.ts';
import { inVirtualTime } from './virtual-time.ts';

test('a clause that the manifest does not promise is reported as not promised, and all others are checked', async () => {
  const { results } = await check((subject) => ({
    ...subject,
    promises: { ...subject.promises, durable: false, survivesCrash: false, shared: false, external: false },
  }));
  const verdicts = Map.groupBy(results, ({ verdict }) => verdict);
  expect(verdicts.get('not-promised')?.map(({ id }) => id)).toEqual(['PR-7', 'PR-10', 'PR-11', 'PR-12', 'PR-13']);
  expect(verdicts.get('kept')).toHaveLength(plantRepositoryContract.clauses.length - 5);
});

test('a promise without what it is tested with is broken, and the message says what to supply', async () => {
  const report = await check((subject) =>
    preparing(subject, ({ addUntilKilled: _, startOutage: __, ...prepared }) => prepared),
  );
  expect(messages(report)).toEqual({
    'PR-11': expect.stringContaining('supply it, or do not promise survivesCrash'),
    'PR-12': expect.stringContaining('supply it, or do not promise external'),
    'PR-13': expect.stringContaining('supply it, or do not promise external'),
    'PR-14': expect.stringContaining('supply it, or do not promise external'),
  });
});

test('a process that is killed before any plant was answered proves nothing', async () => {
  const report = await check((subject) =>
    preparing(subject, (prepared) => ({ ...prepared, addUntilKilled: async () => [] })),
  );
  expect(messages(report)).toEqual({ 'PR-11': expect.stringContaining('no plant had been answered') });
});

test('a place that cannot be freed breaks a clause, but does not hide what broke it before', async () => {
  const stuck = (subject: StoreUnderTest) =>
    preparing(subject, (prepared) => ({
      ...prepared,
      dispose: () => Promise.reject(new Error('directory not empty')),
    }));
  expect(messages(await check(stuck))['PR-1']).toContain('directory not empty');
  const forgetful = class extends ModelStore {
    protected override handOut(): Plant {
      return { name: 'forgotten' };
    }
  };
  expect(messages(await check(stuck, forgetful))['PR-1']).toContain('forgotten');
});

async function check(
  change: (subject: StoreUnderTest) => StoreUnderTest,
  Store: StoreClass = ModelStore,
): Promise<ContractReport> {
  return inVirtualTime((tools) => runContract(plantRepositoryContract, change(modelUnderTest(Store, tools)), tools));
}

function preparing(subject: StoreUnderTest, change: (prepared: PreparedStore) => PreparedStore): StoreUnderTest {
  return { ...subject, prepare: async () => change(await subject.prepare()) };
}

function messages({ results }: ContractReport): Readonly<Record<string, string>> {
  return Object.fromEntries(
    results.flatMap((result) => (result.verdict === 'broken' ? [[result.id, result.message]] : [])),
  );
}
