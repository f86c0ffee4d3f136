export { clausesFor } from './clauses-for.ts';
export { type DescribeContractOptions, describeContract } from './describe-contract.ts';
export { describeMutants, type Implementations } from './describe-mutants.ts';
export { failingClauses, testCompleteness, testMutants } from './test-mutants.ts';
export { inVirtualTime } from './virtual-time.ts';
