import { type ContractReport, runContract } from '@plant-store/contracts-kit';
import { inVirtualTime } from '@plant-store/contracts-kit/vitest';
import type { AddResult, NewPlant, Plant } from '@plant-store/domain';
import { expect, test } from 'vitest';
import { type PreparedStore, plantRepositoryContract, type StoreHarness } from '../src/index.ts';
import { modelHarness, type StoreClass } from './model/model-harness.ts';
import { ModelStore } from './model/model-store.ts';

test('a clause that the manifest does not promise is reported as not promised, and all others are checked', async () => {
  const { results } = await check((subject) => ({
    ...subject,
    capabilities: {
      ...subject.capabilities,
      durable: false,
      survivesCrash: false,
      survivesServerCrash: false,
      shared: false,
      external: false,
    },
  }));
  const verdicts = Map.groupBy(results, ({ verdict }) => verdict);
  expect(verdicts.get('not-promised')?.map(({ id }) => id)).toEqual([
    'PR-7',
    'PR-10',
    'PR-11',
    'PR-12',
    'PR-13',
    'PR-17',
    'PR-18',
  ]);
  expect(verdicts.get('passed')).toHaveLength(plantRepositoryContract.clauses.length - 7);
});

test('a promise without what it is tested with is broken, and the message says what to supply', async () => {
  const report = await check((subject) =>
    preparing(subject, ({ addUntilKilled: _, startOutage: __, ...prepared }) => prepared),
  );
  expect(messages(report)).toEqual({
    'PR-11': expect.stringContaining('supply it, or do not promise survivesCrash'),
    'PR-12': expect.stringContaining('supply it, or do not promise external'),
    'PR-13': expect.stringContaining('supply it, or do not promise external'),
    'PR-17': expect.stringContaining('supply it, or do not promise external'),
  });
});

test('a clause that takes what the place does not have is reported as not checked, with what to supply', async () => {
  const { results, notChecked, failed } = await check((subject) =>
    preparing(subject, ({ refusedPlant: _, killServer: __, ...prepared }) => prepared),
  );
  expect({ notChecked, failed }).toEqual({ notChecked: 2, failed: 0 });
  expect(results.filter(({ verdict }) => verdict === 'not-checked')).toEqual([
    expect.objectContaining({ id: 'PR-16', message: expect.stringContaining('supply refusedPlant()') }),
    expect.objectContaining({ id: 'PR-18', message: expect.stringContaining('with killServer()') }),
  ]);
});

test('a store that answers nothing says what it threw, also where nobody asked', async () => {
  const mute = class extends ModelStore {
    protected override async add(): Promise<AddResult> {
      throw new Error('add is not implemented');
    }
  };
  expect(messages(await check((subject) => subject, mute))['PR-10']).toContain(
    'no plant had been answered; the first add that failed threw Error: add is not implemented',
  );
});

test('a store that does not answer for a refused plant is told which plant it was', async () => {
  const hanging = class extends ModelStore {
    protected override async inTime<T>(call: Promise<T>): Promise<T> {
      return call.catch(() => new Promise(() => {}));
    }
  };
  const message = messages(await check((subject) => subject, hanging))['PR-16'];
  expect(message).toMatch(
    /^action: .*which the store is set up to refuse.*; looked at the refused one\nactual: .*no answer/,
  );
});

test('the message about a text of a megabyte is a short one', async () => {
  const quoting = class extends ModelStore {
    protected override snapshot(plant: NewPlant): NewPlant {
      if (plant.name.length > 500_000) throw new Error(`too long: ${plant.name}`);
      return super.snapshot(plant);
    }
  };
  const message = messages(await check((subject) => subject, quoting))['PR-2'];
  expect(message).toContain('threw Error: too long: ');
  expect(message?.length).toBeLessThan(4_000);
});

test('what a harness fails to do is named, with what it threw', async () => {
  const fail = () => Promise.reject(new Error('database is not open'));
  const report = await check((subject) =>
    preparing(subject, (prepared) => ({ ...prepared, refusedPlant: fail, startOutage: fail })),
  );
  const named = (name: string) =>
    expect.stringMatching(new RegExp(`^action: +called ${name}\\(\\)\nactual: +threw Error: database is not open\n`));
  expect(messages(report)).toEqual({
    'PR-12': named('startOutage'),
    'PR-13': named('startOutage'),
    'PR-16': named('refusedPlant'),
    'PR-17': named('startOutage'),
  });
});

test('a plant to refuse is asked for before a store is opened: an engine may let only one in', async () => {
  const steps: string[] = [];
  await check((subject) =>
    preparing(subject, ({ open, refusedPlant, ...prepared }) => {
      steps.push('prepare');
      return {
        ...prepared,
        open: async () => {
          steps.push('open');
          return open();
        },
        refusedPlant: async () => {
          steps.push('refusedPlant');
          if (!refusedPlant) throw new Error('the model can refuse a plant');
          return refusedPlant();
        },
      };
    }),
  );
  const at = steps.indexOf('refusedPlant');
  expect(steps.slice(at - 1, at + 2)).toEqual(['prepare', 'refusedPlant', 'open']);
  expect(steps.filter((step) => step === 'refusedPlant')).toHaveLength(1);
});

test('a server that cannot be started again breaks the clause, not the run', async () => {
  const report = await check((subject) =>
    preparing(subject, (prepared) => ({
      ...prepared,
      killServer: async () => () => Promise.reject(new Error('exit code 1')),
    })),
  );
  expect(messages(report)).toEqual({ 'PR-18': expect.stringContaining('exit code 1') });
});

test('a process that is killed before any plant was answered proves nothing', async () => {
  const report = await check((subject) =>
    preparing(subject, (prepared) => ({ ...prepared, addUntilKilled: async () => [] })),
  );
  expect(messages(report)).toEqual({ 'PR-11': expect.stringContaining('no plant had been answered') });
});

test('a place that cannot be freed breaks a clause, but does not hide what broke it before', async () => {
  const stuck = (subject: StoreHarness) =>
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
  change: (subject: StoreHarness) => StoreHarness,
  Store: StoreClass = ModelStore,
): Promise<ContractReport> {
  return inVirtualTime((tools) => runContract(plantRepositoryContract, change(modelHarness(Store, tools)), tools));
}

function preparing(subject: StoreHarness, change: (prepared: PreparedStore) => PreparedStore): StoreHarness {
  return { ...subject, prepare: async () => change(await subject.prepare()) };
}

function messages({ results }: ContractReport): Readonly<Record<string, string>> {
  return Object.fromEntries(
    results.flatMap((result) => (result.verdict === 'failed' ? [[result.id, result.message]] : [])),
  );
}
