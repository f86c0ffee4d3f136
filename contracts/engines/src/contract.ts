import type { Contract } from '@plant-store/contracts-kit';
import { closingClauses } from './closing.ts';
import type { EngineHarness } from './engine-harness.ts';
import { keyClauses } from './keys.ts';
import type { EngineMutation } from './model-engine.ts';
import { outcomeClauses } from './outcomes.ts';
import { probeClauses } from './probe.ts';
import { settleClauses } from './settle.ts';

/** The contract of `BatchEngine`, with one clause for each number in its documentation. */
export const engineContract: Contract<EngineHarness<unknown, unknown>, EngineMutation> = {
  name: 'BatchEngine',
  documentation: 'libraries/group-commit/src/batch-engine.ts',
  clauses: [...outcomeClauses, ...keyClauses, ...settleClauses, ...probeClauses, ...closingClauses],
};
