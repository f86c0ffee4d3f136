export {
  type Clause,
  type ClauseResult,
  type Contract,
  type ContractReport,
  ContractViolation,
  NotChecked,
  runClause,
  runContract,
  show,
  type Tools,
  within,
} from './contract.ts';
export { eventually } from './eventually.ts';
export { resolved, unlessUnavailable } from './expectations.ts';
export type { Mutant } from './mutant.ts';
