import { waitingClauses } from '@plant-store/contracts-http';
import { aboutMuch } from '../src/also-breaks.ts';
import { requestMutants } from '../src/mutants.ts';
import { proveContract } from '../src/prove-contract.ts';

proveContract(requestMutants, [...aboutMuch, ...waitingClauses]);
