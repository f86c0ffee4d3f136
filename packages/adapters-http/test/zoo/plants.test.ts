import { aboutSlowness } from './also-breaks.ts';
import { brokenPlants } from './members.ts';
import { proveContract } from './prove-contract.ts';

proveContract(brokenPlants, aboutSlowness);
