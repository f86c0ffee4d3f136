import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freshDatabase, runSql } from '@plant-store/testing-postgres';
import { expect, onTestFinished, test } from 'vitest';
import { plants, runToEnd } from '../imports-and-exports.ts';
import { plantStore, scratchDirectory } from '../running-service.ts';

test('a failed export reports its cause, not the failed cleanup', async () => {
  const directory = await scratchDirectory(onTestFinished);
  const [file, draft] = [join(directory, 'out.ndjson'), join(directory, 'out.ndjson.incomplete')];
  const url = await freshDatabase();
  await writeFile(file, plants(1, 1));
  await runToEnd(['import', file, '--url', url]);

  const held = runSql(url, 'BEGIN; LOCK TABLE plants; SELECT pg_sleep(60)').catch(() => {});
  await expect.poll(() => runSql(url, LOCKS), { timeout: 10_000 }).toHaveLength(1);
  const exporting = plantStore(['export', file, '--url', url]);
  await expect.poll(() => access(draft), { timeout: 10_000 }).toBeUndefined();
  // A directory neither takes the place of a file, nor is it removed as one.
  await rm(draft);
  await mkdir(draft);
  await runSql(url, `SELECT pg_terminate_backend(pid) FROM (${LOCKS}) AS locks`);
  await held;

  expect({ code: await exporting.ended, output: exporting.output() }).toEqual({
    code: 3,
    output: expect.stringMatching(/^plant-store: ENOTDIR: .*, rename .*; the export is incomplete: run it again\n$/),
  });
});

const LOCKS = `SELECT pid FROM pg_locks WHERE relation = 'plants'::regclass AND mode = 'AccessExclusiveLock' AND granted`;
