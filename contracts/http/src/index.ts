export { edges as fixedIds } from './clauses/id-cases.ts';
export { waitingClauses, withConcurrentWaits } from './concurrent-waits.ts';
export type { DeployedService } from './deployed-service.ts';
export { type ErrorKind, errorNumbers } from './error-numbers.ts';
export { httpContract } from './http-contract.ts';
