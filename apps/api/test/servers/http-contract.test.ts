import { describeHttpContract } from '../describe-http-contract.ts';
import { engine, server } from './server.ts';

describeHttpContract(engine, server.freshDatabase);
