import { waitingClauses } from '@plant-store/contracts-http';
import { expensiveClauses } from '../src/also-breaks.ts';
import { describeMutants } from '../src/describe-mutants.ts';
import { requestMutants } from '../src/mutants.ts';

describeMutants(requestMutants, [...expensiveClauses, ...waitingClauses]);
