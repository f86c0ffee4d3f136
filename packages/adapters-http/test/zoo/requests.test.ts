import { aboutMuch, aboutSlowness } from './also-breaks.ts';
import { brokenRequests } from './members.ts';
import { proveContract } from './prove-contract.ts';

proveContract(brokenRequests, [...aboutMuch, ...aboutSlowness]);
