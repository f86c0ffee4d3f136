import { aboutMuch } from '../src/also-breaks.ts';
import { brokenConnections } from '../src/mutants.ts';
import { proveContract } from '../src/prove-contract.ts';

proveContract(brokenConnections, aboutMuch);
