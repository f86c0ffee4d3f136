export { type DescribeContractOptions, describeContract } from './describe-contract.ts';
export { describeMutants, type Implementations, testMutants } from './describe-mutants.ts';
export { inVirtualTime } from './virtual-time.ts';
