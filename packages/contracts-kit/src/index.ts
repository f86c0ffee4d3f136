export {
  BrokenPromise,
  type Clause,
  type ClauseResult,
  type Contract,
  type ContractReport,
  NotChecked,
  runClause,
  runContract,
  show,
  type Tools,
  within,
} from './contract.ts';
export { eventually } from './eventually.ts';
export { resolved, unlessUnavailable } from './expectations.ts';
export type { Member } from './mutant.ts';
