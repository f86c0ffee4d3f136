import { waitingClauses } from '@plant-store/contracts-http';
import { expensiveClauses } from '../src/also-breaks.ts';
import { describeMutants } from '../src/describe-mutants.ts';
import { plantMutants } from '../src/mutants.ts';

describeMutants(plantMutants, [...expensiveClauses, ...waitingClauses]);
