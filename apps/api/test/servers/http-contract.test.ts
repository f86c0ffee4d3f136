import { describeHttpContract } from '../describe-http-contract.ts';
import { onEveryServer } from './every-server.ts';

await onEveryServer((engine, server) => describeHttpContract(engine, server.freshDatabase));
