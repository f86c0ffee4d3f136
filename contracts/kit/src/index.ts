export type { Clause, ClauseResult, Contract, Tools } from './contract.ts';
export { ContractViolation, NotChecked, type Sentence, toText } from './contract-violation.ts';
export { resolved, unlessUnavailable } from './expectations.ts';
export { hardTexts, lookalikes } from './hard-texts.ts';
export { bindMethods, listMutants, type Method, type Mutant, type Mutation, mutate } from './mutant.ts';
export { CLAUSE_TIMEOUT_MS, type RunOptions, runClause, runContract } from './run-contract.ts';
export { show } from './show.ts';
export { eventually, realTime, within } from './waiting.ts';
