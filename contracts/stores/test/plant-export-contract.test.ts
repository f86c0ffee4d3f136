import { mutate } from '@plant-store/contracts-kit';
import { describeMutants } from '@plant-store/contracts-kit/vitest';
import { ModelExport } from '../src/export/model-export.ts';
import { plantExportContract } from '../src/index.ts';
import { modelHarness } from './model-harness.ts';

const correct = {
  'reads a snapshot page by page': () => ({}),
  'returns in an outage what it has already read': () => ({ roundTrip: async () => {} }),
};

describeMutants(plantExportContract, correct, (mutation, tools) => {
  const stores = modelHarness(() => ({}), tools);
  const prepare = async () => {
    const prepared = await stores.prepare();
    return { ...prepared, export: () => mutate(new ModelExport(prepared.database), mutation) };
  };
  return { ...stores, prepare };
});
