import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { newEngineHarness } from '@plant-store/adapters-new-engine/harness';
import { runClause } from '@plant-store/contracts-kit';
import { plantRepositoryContract } from '@plant-store/contracts-stores';
import { describe, expect, test } from 'vitest';

/** Delete it where src/capabilities.ts says survivesServerCrash: false. */
async function killServer(): Promise<() => Promise<void>> {
  throw new Error(
    'packages/adapters-new-engine/test/contract.test.ts does not implement killServer: kill the server with SIGKILL, and return a function that starts it again',
  );
}

const subject = newEngineHarness('new-engine:', killServer);
const tools = { sleep: (ms: number) => sleep(ms, undefined, { ref: false }), nextTurn };

/** The clauses that need not be checked: `PR-16` where the engine can refuse no plant. */
const uncheckable: readonly string[] = [];

describe('PlantRepository contract', () => {
  // A clause ends within 60 s by itself, and then says more than a time-out of the test would.
  test.for(plantRepositoryContract.clauses)('$id $title', async (clause, { skip }) => {
    const result = await runClause(clause, subject, tools);
    if (result.verdict === 'not-promised') skip('not promised');
    if (result.verdict === 'not-checked' && uncheckable.includes(clause.id)) skip(`not checked: ${result.message}`);
    if (result.verdict === 'failed' || result.verdict === 'not-checked')
      expect.fail(`${result.message}\n\n${clause.id} in docs/write-a-storage-adapter.md says how`);
  });
});
