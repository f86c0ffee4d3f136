import { newEngineHarness } from '@plant-store/adapters-new-engine/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { storeContracts } from '@plant-store/contracts-stores';
import { type DedicatedServer, startDedicatedServer } from '@plant-store/testing-new-engine';
import { afterAll, beforeAll } from 'vitest';

let server: DedicatedServer;
beforeAll(async () => {
  server = await startDedicatedServer();
});
afterAll(() => server.stop());

async function killServer(): Promise<() => Promise<void>> {
  await server.kill();
  return server.start;
}

describeContract(storeContracts, () => newEngineHarness(server.url, killServer), {
  // The clauses that need not be checked: PR-16 where the engine can refuse no plant, PR-22 where commits cannot be made to
  // fail, PE-1 to PE-6 without an export.
  notChecked: [],
});
