export { type DescribeContractOptions, describeContract } from './describe-contract.ts';
export { proveContract } from './prove-contract.ts';
export { inVirtualTime } from './virtual-time.ts';
