import { storeHarness } from '@plant-store/adapters-citus/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { storeContracts } from '@plant-store/contracts-stores';
import { citusDatabase } from './stand-in-for-citus.ts';

const { TEST_CITUS_URL } = process.env;

/** The cluster of TEST_CITUS_URL, or the stand-in. */
const harness = TEST_CITUS_URL
  ? storeHarness(TEST_CITUS_URL)
  : storeHarness(await citusDatabase(), async () => ({
      options: { connectionString: await citusDatabase() },
      drop: async () => {},
    }));

// Tests cannot kill the servers of a cluster.
describeContract(storeContracts, harness, { notChecked: ['PR-18', 'PR-22'] });
