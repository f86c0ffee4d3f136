import { type ContractReport, realTime, runContract } from '@plant-store/contracts-kit';
import { inVirtualTime } from '@plant-store/contracts-kit/vitest';
import { expect, test } from 'vitest';
import { clausesWithOutages, type PreparedStore, plantRepositoryContract, type StoreHarness } from '../src/index.ts';
import type { StoreMutation } from '../src/model/model-store.ts';
import { noticingInCheck } from '../src/repository/misconfiguration.ts';
import { modelHarness } from './model-harness.ts';

const { clauses } = plantRepositoryContract;
const idsOf = (these: typeof clauses) => these.map(({ id }) => id).join(' ');
const ALL = idsOf(clauses);
const OUTAGES = idsOf(clauses.filter(clausesWithOutages(modelHarness(() => ({}), realTime))));

test('a clause without its capability is reported as not promised, and all others are checked', async () => {
  const none = { durable: false, survivesCrash: false, survivesServerCrash: false, shared: false, external: false };
  const without = (harness: StoreHarness): StoreHarness => ({
    ...harness,
    capabilities: { ...harness.capabilities, ...none, observed: false },
  });
  const { results, passed } = await check(without);
  const notPromised = results.filter(({ verdict }) => verdict === 'not-promised').map(({ id }) => id);
  const harness = without(modelHarness(() => ({}), realTime));
  expect(notPromised.join(' ')).toBe(idsOf(clauses.filter(({ appliesTo }) => appliesTo?.(harness) === false)));
  expect(notPromised.length).toBeGreaterThan(10);
  expect(passed).toBe(results.length - notPromised.length);
});

test('a store that does not say how long unsafe adds last may notice changed plants in check alone', async () => {
  const { results } = await check(({ capabilities: { unsafeAddsForMs: _, ...capabilities }, ...harness }) => {
    return { ...harness, capabilities };
  }, noticingInCheck);
  expect(results.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
});

test('a clause that needs a function that the harness lacks is not checked, and names its member of adapterHarness', async () => {
  const { results, failed } = await check(preparing(({ open, dispose }) => ({ open, dispose })));
  const needs = results.flatMap((result) =>
    result.verdict === 'not-checked' ? [`${result.id} ${/supply (\w+)/.exec(result.message)?.[1]}`] : [],
  );
  const faults = OUTAGES.split(' ').map((id) => `${id} startOutage`);
  const others = ['PR-11 opener', 'PR-16 refuse', 'PR-18 killServer', 'PR-22 failCommits'];
  const misconfigured = ['PR-23 makeUnsafe', 'PR-24 refuseAll', 'PR-25 misconfigured'];
  expect(needs).toEqual([...faults, ...others, ...misconfigured].toSorted());
  expect(failed).toBe(0);
});

const fails = () => Promise.reject(new Error('exit code 1'));

test.each<[harness: string, change: Partial<PreparedStore>, failed: string, says: string]>([
  ['cannot start an outage', { startOutage: fails }, OUTAGES, 'called startOutage()'],
  ['cannot refuse a plant', { refusedPlant: fails }, 'PR-16 PR-20', 'called refusedPlant()'],
  ['cannot start its server', { killServer: async () => fails }, 'PR-18', 'exit code 1'],
  ['cannot start its process', { openInProcess: fails }, 'PR-11', 'called openInProcess()'],
  ['cannot drop a database', { dispose: fails }, ALL, 'dispose()'],
])('a harness that %s fails the clauses that need it, and no others', async (_, change, failed, says) => {
  const messages = messagesOf(await check(preparing((prepared) => ({ ...prepared, ...change }))));
  expect(Object.keys(messages).join(' ')).toBe(failed);
  for (const message of Object.values(messages)) expect(message).toContain(says);
});

test('a database that cannot be dropped does not hide an earlier failure', async () => {
  const wrong: StoreMutation = () => ({ toPlant: () => ({ name: 'wrong' }) });
  const report = await check(
    preparing((prepared) => ({ ...prepared, dispose: fails })),
    wrong,
  );
  expect(messagesOf(report)['PR-1']).toContain('wrong');
});

test.each<[function_: keyof PreparedStore, needs: string, says: string]>([
  ['refusedPlant', 'PR-16 PR-20', 'passed, but for the error for a refused plant: supply refuse to adapterHarness'],
  ['refuseAll', 'PR-20 PR-24', 'passed, but for the error after refuseAll(): supply refuseAll to adapterHarness'],
  ['makeUnsafe', 'PR-20 PR-23', 'passed, but for the error after makeUnsafe(): supply makeUnsafe to adapterHarness'],
  ['export', 'PR-11 PR-18', 'passed, but for whether a plant is there in part that nobody has added: supply export'],
])('without %s, the clauses %s are not checked, and say what of them was not', async (name, needs, says) => {
  const { results } = await check(preparing(({ [name]: _, ...prepared }) => prepared as PreparedStore));
  const others = results.filter(({ verdict }) => verdict !== 'passed');
  expect(others.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual(
    needs.split(' ').map((id) => `${id} not-checked`),
  );
  expect(others.map((result) => 'message' in result && result.message)).toContainEqual(expect.stringContaining(says));
});

test('errors in an outage that the harness can start are checked even without `external`', async () => {
  const indiscreet: StoreMutation = ({ add }, { database }) => ({
    add: (plant) => (database.outage ? Promise.reject(new Error(plant.name)) : add(plant)),
  });
  const report = await check(
    (harness) => ({ ...harness, capabilities: { ...harness.capabilities, external: false } }),
    indiscreet,
  );
  expect(Object.keys(messagesOf(report))).toEqual(['PR-20']);
});

async function check(
  change: (harness: StoreHarness) => StoreHarness,
  mutation: StoreMutation = () => ({}),
): Promise<ContractReport> {
  return inVirtualTime((tools) => runContract(plantRepositoryContract, change(modelHarness(mutation, tools)), tools));
}

function preparing(change: (prepared: PreparedStore) => PreparedStore): (harness: StoreHarness) => StoreHarness {
  return (harness) => ({ ...harness, prepare: async () => change(await harness.prepare()) });
}

function messagesOf({ results }: ContractReport): Readonly<Record<string, string>> {
  return Object.fromEntries(
    results.flatMap((result) => (result.verdict === 'failed' ? [[result.id, result.message]] : [])),
  );
}
