import { describeMutants } from '@plant-store/contracts-kit/vitest';
import { engineContract } from '../src/index.ts';
import { modelHarness } from '../src/model-engine.ts';
import { correctEngines, engineMutants } from './mutants.ts';

describeMutants(engineContract, { correct: correctEngines, mutants: engineMutants, harness: modelHarness });
