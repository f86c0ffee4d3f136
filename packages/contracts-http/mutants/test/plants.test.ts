import { waitingClauses } from '@plant-store/contracts-http';
import { aboutMuch } from '../src/also-breaks.ts';
import { plantMutants } from '../src/mutants.ts';
import { proveContract } from '../src/prove-contract.ts';

proveContract(plantMutants, [...aboutMuch, ...waitingClauses]);
