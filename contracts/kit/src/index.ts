export type { Clause, ClauseResult, Contract, Revision, Tools } from './contract.ts';
export { ContractViolation, NotChecked, type Sentence, textOf } from './contract-violation.ts';
export { resolved, unlessUnavailable } from './expectations.ts';
export { hardTexts, lookalikes } from './hard-texts.ts';
export type { KnownFailures } from './known-failures.ts';
export { type Mutant, type Mutation, mutantTable, mutate } from './mutant.ts';
export { type ContractReport, runClause, runContract } from './run-contract.ts';
export { show } from './show.ts';
export { eventually, realTime, within } from './waiting.ts';
