import { waitingClauses } from '../../src/contract/while-others-run.ts';
import { aboutMuch } from './also-breaks.ts';
import { brokenPlants } from './members.ts';
import { proveContract } from './prove-contract.ts';

proveContract(brokenPlants, [...aboutMuch, ...waitingClauses]);
