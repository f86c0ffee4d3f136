import { describeHttpContract } from './describe-http-contract.ts';
import { onEveryStoreWithoutServer } from './stores/without-server.ts';

await onEveryStoreWithoutServer(describeHttpContract);
