import { expensiveClauses } from '../src/also-breaks.ts';
import { describeMutants } from '../src/describe-mutants.ts';
import { connectionMutants } from '../src/mutants.ts';

describeMutants(connectionMutants, expensiveClauses);
