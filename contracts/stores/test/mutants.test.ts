import { mutate } from '@plant-store/contracts-kit';
import { describeMutants } from '@plant-store/contracts-kit/vitest';
import { ModelExport } from '../src/export/model-export.ts';
import { migrationContract, plantExportContract, plantRepositoryContract } from '../src/index.ts';
import { ModelMigrations } from '../src/migrations/model-migrations.ts';
import { correctStores } from './correct-stores.ts';
import { modelHarness } from './model-harness.ts';

describeMutants(plantRepositoryContract, correctStores, modelHarness);

const correctExports = {
  'reads a snapshot page by page': () => ({}),
  'returns in an outage what it has already read': () => ({ roundTrip: async () => {} }),
};
describeMutants(plantExportContract, correctExports, (mutation, tools) => {
  const stores = modelHarness(() => ({}), tools);
  const prepare = async () => {
    const prepared = await stores.prepare();
    return { ...prepared, export: () => mutate(new ModelExport(prepared.database), mutation) };
  };
  return { ...stores, prepare };
});

describeMutants(migrationContract, { 'migrates SQLite': () => ({}) }, (mutation) => ({
  prepare: async () => mutate(new ModelMigrations(), mutation),
  unreachable: mutate(new ModelMigrations(), mutation).unreachable(),
}));
