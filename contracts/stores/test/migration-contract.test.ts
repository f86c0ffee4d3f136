import { mutate } from '@plant-store/contracts-kit';
import { describeMutants } from '@plant-store/contracts-kit/vitest';
import { migrationContract } from '../src/index.ts';
import { ModelMigrations } from '../src/migrations/model-migrations.ts';

describeMutants(migrationContract, { 'migrates SQLite': () => ({}) }, (mutation) => ({
  prepare: async () => mutate(new ModelMigrations(), mutation),
  unreachable: mutate(new ModelMigrations(), mutation).unreachable(),
}));
