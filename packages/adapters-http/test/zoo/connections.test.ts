import { aboutMuch } from './also-breaks.ts';
import { brokenConnections } from './members.ts';
import { proveContract } from './prove-contract.ts';

proveContract(brokenConnections, aboutMuch);
