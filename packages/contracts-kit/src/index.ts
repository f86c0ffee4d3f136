export type { Clause, Contract, Tools } from './contract.ts';
export { ContractViolation, NotChecked, type Sentence, textOf } from './contract-violation.ts';
export { eventually } from './eventually.ts';
export { resolved, unlessUnavailable } from './expectations.ts';
export { type Mutant, mutantTable } from './mutant.ts';
export { realTime } from './real-time.ts';
export { type ClauseResult, type ContractReport, runClause, runContract } from './run-contract.ts';
export { show } from './show.ts';
export { within } from './within.ts';
