import { mysqlHarness } from '@plant-store/adapters-mysql/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { plantExportContract } from '@plant-store/contracts-stores';
import { freshDatabase, onServer } from '@plant-store/testing-mysql';

await onServer(async () => {
  describeContract(plantExportContract, mysqlHarness(await freshDatabase()));
});
