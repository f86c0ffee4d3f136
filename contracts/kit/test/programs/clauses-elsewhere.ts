import { describeContract } from '../../src/vitest/index.ts';

// Run by describe-contract.test.ts, in a vitest of its own: some of it has to fail.

const contract = {
  name: 'Example',
  clauses: ['EX-1', 'EX-2', 'EX-3'].map((id) => ({ id, title: 'holds', check: async () => {} })),
};
const second = ({ id }: { id: string }) => id === 'EX-2';

describeContract(contract, {}, { elsewhere: { file: 'every-verdict.ts', clauses: second }, concurrent: second });
describeContract(contract, {}, { elsewhere: { file: 'deleted.ts', clauses: second } });
describeContract(contract, {}, { elsewhere: { file: 'vitest.config.ts', clauses: second } });
