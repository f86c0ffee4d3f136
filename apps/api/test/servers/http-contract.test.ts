import { describeHttpContract } from '../describe-http-contract.ts';
import { engine, onServer, server } from './server.ts';

await onServer(() => describeHttpContract(engine, server.freshDatabase));
