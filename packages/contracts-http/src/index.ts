export { edges as fixedIds } from './clauses/id-cases.ts';
export type { DeployedService } from './deployed-service.ts';
export { type ErrorKind, errorNumbers } from './error-numbers.ts';
export { httpContract } from './http-contract.ts';
export { waitingClauses, whileOthersRun } from './while-others-run.ts';
