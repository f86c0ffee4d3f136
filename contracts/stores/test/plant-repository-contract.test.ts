import { describeMutants } from '@plant-store/contracts-kit/vitest';
import { plantRepositoryContract } from '../src/index.ts';
import { modelHarness } from './model-harness.ts';
import { adds } from './mutants/adds.ts';
import { correctStores } from './mutants/correct.ts';
import { durability } from './mutants/durability.ts';
import { misconfiguration } from './mutants/misconfiguration.ts';
import { observers } from './mutants/observers.ts';
import { outages } from './mutants/outages.ts';
import { races } from './mutants/races.ts';
import { readiness } from './mutants/readiness.ts';
import { records } from './mutants/records.ts';

describeMutants(plantRepositoryContract, {
  correct: correctStores,
  mutants: [records, adds, races, durability, outages, readiness, observers, misconfiguration].flat(),
  harness: modelHarness,
});
