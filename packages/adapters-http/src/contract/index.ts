export type { DeployedService } from './deployed-service.ts';
export { httpContract } from './http-contract.ts';
export { edges as fixedIds } from './id-cases.ts';
export { whileOthersRun } from './while-others-run.ts';
