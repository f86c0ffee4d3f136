export type { DeployedService } from './deployed-service.ts';
export { httpContract } from './http-contract.ts';
