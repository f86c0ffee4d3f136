import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { sqliteHarness } from '@plant-store/adapters-sqlite/harness';
import { runClause } from '@plant-store/contracts-kit';
import { plantExportContract } from '@plant-store/contracts-stores';
import { afterAll, describe, expect, test } from 'vitest';
import { makeDirectory } from './temporary-directory.ts';

const directory = await makeDirectory();
afterAll(() => rm(directory, { recursive: true }));

const subject = sqliteHarness(join(directory, 'plants.db'));
const tools = { sleep: (ms: number) => sleep(ms, undefined, { ref: false }), nextTurn };

describe('PlantExport contract', () => {
  test.for(plantExportContract.clauses)('$id $title', async (clause, { skip }) => {
    const result = await runClause(clause, subject, tools);
    if (result.verdict === 'not-promised') skip('not promised');
    expect(result).toEqual({ id: clause.id, title: clause.title, verdict: 'passed' });
  });
});
