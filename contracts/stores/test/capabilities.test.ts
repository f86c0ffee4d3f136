import { type ContractReport, runContract } from '@plant-store/contracts-kit';
import { inVirtualTime } from '@plant-store/contracts-kit/vitest';
import { expect, test } from 'vitest';
import { type PreparedStore, plantRepositoryContract, type StoreHarness } from '../src/index.ts';
import { modelHarness } from './model/model-harness.ts';
import type { StoreMutation } from './model/model-store.ts';

test('a clause without its capability is reported as not promised, and all others are checked', async () => {
  const without = { durable: false, survivesCrash: false, survivesServerCrash: false };
  const nor = { shared: false, external: false, observed: false };
  const { results } = await check((harness) => ({
    ...harness,
    capabilities: { ...harness.capabilities, ...without, ...nor },
  }));
  const verdicts = Map.groupBy(results, ({ verdict }) => verdict);
  expect(
    verdicts
      .get('not-promised')
      ?.map(({ id }) => id)
      .join(' '),
  ).toBe('PR-7 PR-10 PR-11 PR-12 PR-13 PR-17 PR-18 PR-19 PR-21 PR-22 PR-23 PR-24 PR-25');
  expect(verdicts.get('passed')).toHaveLength(plantRepositoryContract.clauses.length - 13);
});

const fails = () => Promise.reject(new Error('database is not open'));
const failing = (name: string) =>
  expect.stringMatching(new RegExp(`^action: +called ${name}\\(\\)\nactual: +threw Error: database is not open\n`));
const external = expect.stringContaining('supply it, or set external to false');

test.each<
  [harness: string, change: (prepared: PreparedStore) => PreparedStore, says: Readonly<Record<string, unknown>>]
>([
  [
    'has a capability, but not what it is tested with',
    ({ addUntilKilled: _, startOutage: __, ...prepared }) => prepared,
    {
      'PR-11': expect.stringContaining('supply it, or set survivesCrash to false'),
      ...Object.fromEntries(['PR-12', 'PR-13', 'PR-17', 'PR-19', 'PR-20', 'PR-21'].map((id) => [id, external])),
    },
  ],
  [
    'has functions that fail',
    (prepared) => ({ ...prepared, refusedPlant: fails, startOutage: fails }),
    {
      ...Object.fromEntries(['PR-12', 'PR-13', 'PR-17', 'PR-19'].map((id) => [id, failing('startOutage')])),
      ...Object.fromEntries(['PR-16', 'PR-20', 'PR-21'].map((id) => [id, failing('refusedPlant')])),
    },
  ],
  [
    'cannot start its server again',
    (prepared) => ({ ...prepared, killServer: async () => () => Promise.reject(new Error('exit code 1')) }),
    { 'PR-18': expect.stringContaining('exit code 1') },
  ],
  [
    'kills its process before any plant was acknowledged',
    (prepared) => ({ ...prepared, addUntilKilled: async () => [] }),
    { 'PR-11': expect.stringContaining('no plant had been acknowledged') },
  ],
])('a harness that %s fails the clauses that need it, and no others', async (_, change, says) => {
  expect(messages(await check((harness) => preparing(harness, change)))).toEqual(says);
});

test('a clause that needs what the harness lacks is reported as not checked, with what to supply', async () => {
  const { results, notChecked, failed } = await check((harness) =>
    preparing(harness, ({ open, dispose, addUntilKilled, startOutage }) => ({
      open,
      dispose,
      ...(addUntilKilled && { addUntilKilled }),
      ...(startOutage && { startOutage }),
    })),
  );
  expect({ notChecked, failed }).toEqual({ notChecked: 6, failed: 0 });
  expect(results.filter(({ verdict }) => verdict === 'not-checked')).toEqual([
    expect.objectContaining({ id: 'PR-16', message: expect.stringContaining('supply refusedPlant()') }),
    expect.objectContaining({ id: 'PR-18', message: expect.stringContaining('with killServer()') }),
    expect.objectContaining({ id: 'PR-22', message: expect.stringContaining('with failCommits()') }),
    expect.objectContaining({ id: 'PR-23', message: expect.stringContaining('supply spoil()') }),
    expect.objectContaining({ id: 'PR-24', message: expect.stringContaining('supply refuseAll()') }),
    expect.objectContaining({ id: 'PR-25', message: expect.stringContaining('supply openMisconfigured()') }),
  ]);
});

test('of a store that never succeeds, the message quotes the error, even if no clause awaited it', async () => {
  const mute: StoreMutation = () => ({ add: () => Promise.reject(new Error('add is not implemented')) });
  expect(await messageOf('PR-10', (harness) => harness, mute)).toContain(
    'no plant had been acknowledged; the first add that failed threw Error: add is not implemented',
  );
});

test('if an add of a rejected plant hangs, the message names the plant', async () => {
  const hanging: StoreMutation = () => ({ withTimeout: (call) => call.catch(() => new Promise(() => {})) });
  const message = await messageOf('PR-16', (harness) => harness, hanging);
  expect(message).toMatch(
    /^action: .*which the store is set up to reject.*; the result for the rejected one\nactual: .*no result/,
  );
});

test('the message about a text of a megabyte is short', async () => {
  const quoting: StoreMutation = ({ snapshot }) => ({
    snapshot(plant) {
      if (plant.name.length > 500_000) throw new Error(`too long: ${plant.name}`);
      return snapshot(plant);
    },
  });
  const message = await messageOf('PR-2', (harness) => harness, quoting);
  expect(message).toContain('threw Error: too long: ');
  expect(message?.length).toBeLessThan(4_000);
});

test('refusedPlant is called before a store is opened: an engine may have an exclusive lock', async () => {
  const steps: string[] = [];
  await check((harness) =>
    preparing(harness, ({ open, refusedPlant, ...prepared }) => {
      steps.push('prepare');
      return {
        ...prepared,
        open: async () => {
          steps.push('open');
          return open();
        },
        refusedPlant: async () => {
          steps.push('refusedPlant');
          if (!refusedPlant) throw new Error('the model can reject a plant');
          return refusedPlant();
        },
      };
    }),
  );
  const at = steps.indexOf('refusedPlant');
  expect(steps.slice(at - 1, at + 2)).toEqual(['prepare', 'refusedPlant', 'open']);
  expect(steps.filter((step) => step === 'refusedPlant')).toHaveLength(3);
});

test('a place that cannot be freed fails a clause, but does not hide an earlier failure', async () => {
  const stuck = (harness: StoreHarness) =>
    preparing(harness, (prepared) => ({
      ...prepared,
      dispose: () => Promise.reject(new Error('directory not empty')),
    }));
  expect(await messageOf('PR-1', stuck)).toContain('directory not empty');
  const forgetful: StoreMutation = () => ({ returned: () => ({ name: 'forgotten' }) });
  expect(await messageOf('PR-1', stuck, forgetful)).toContain('forgotten');
});

/** Checks a store against the clauses that are named; against all by default. */
async function check(
  change: (harness: StoreHarness) => StoreHarness,
  mutation: StoreMutation = () => ({}),
  ids: readonly string[] = plantRepositoryContract.clauses.map(({ id }) => id),
): Promise<ContractReport> {
  const clauses = plantRepositoryContract.clauses.filter(({ id }) => ids.includes(id));
  return inVirtualTime((tools) =>
    runContract({ ...plantRepositoryContract, clauses }, change(modelHarness(mutation, tools)), tools),
  );
}

/** What a clause says of a store that fails it. */
async function messageOf(
  id: string,
  change: (harness: StoreHarness) => StoreHarness,
  mutation: StoreMutation = () => ({}),
): Promise<string | undefined> {
  return messages(await check(change, mutation, [id]))[id];
}

function preparing(harness: StoreHarness, change: (prepared: PreparedStore) => PreparedStore): StoreHarness {
  return { ...harness, prepare: async () => change(await harness.prepare()) };
}

function messages({ results }: ContractReport): Readonly<Record<string, string>> {
  return Object.fromEntries(
    results.flatMap((result) => (result.verdict === 'failed' ? [[result.id, result.message]] : [])),
  );
}
