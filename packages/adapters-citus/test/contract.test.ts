import { storeHarness } from '@plant-store/adapters-citus/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { clausesWithOutages, storeContracts } from '@plant-store/contracts-stores';
import { citusDatabase } from './stand-in-for-citus.ts';

const { TEST_CITUS_URL } = process.env;

const standIn = async () => ({ options: { connectionString: await citusDatabase() }, drop: async () => {} });
/** On the cluster of TEST_CITUS_URL, or on the stand-in. */
const [url, scratch] = TEST_CITUS_URL ? [TEST_CITUS_URL] : [await citusDatabase(), standIn];

const withOutages = clausesWithOutages(storeHarness(url, {}, scratch));
/** Those that the adapter's own statements can break: what is inserted and found, in races, beside refused plants, and faults. */
const ofStatements = /^PR-([1-57]|16|23|26)$/;
// On a busy machine an add may take seconds. Tests cannot kill the servers of a cluster.
describeContract(storeContracts, storeHarness(url, { timeoutMs: 10_000 }, scratch), {
  clauses: (clause) => (TEST_CITUS_URL ? !withOutages(clause) : ofStatements.test(clause.id)),
  notChecked: ['PR-18', 'PR-22'],
});
if (TEST_CITUS_URL) describeContract(storeContracts, storeHarness(url), { clauses: withOutages });
