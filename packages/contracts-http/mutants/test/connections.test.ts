import { aboutMuch } from '../src/also-breaks.ts';
import { connectionMutants } from '../src/mutants.ts';
import { proveContract } from '../src/prove-contract.ts';

proveContract(connectionMutants, aboutMuch);
