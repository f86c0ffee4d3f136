export { proveContract } from './prove-contract.ts';
export { inVirtualTime } from './virtual-time.ts';
