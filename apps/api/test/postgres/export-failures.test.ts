import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freshDatabase, runSql } from '@plant-store/testing-postgres';
import { expect, onTestFinished, test } from 'vitest';
import { plants } from '../imports-and-exports.ts';
import { runToEnd, startInProcess } from '../run-in-process.ts';
import { scratchDirectory } from '../running-service.ts';

test('a failed export reports its cause, not the failed cleanup', async () => {
  const directory = await scratchDirectory(onTestFinished);
  const file = join(directory, 'out.ndjson');
  const draft = async () => (await readdir(directory)).find((name) => name.endsWith('.incomplete'));
  const url = await freshDatabase();
  await writeFile(file, plants(1, 1));
  await runToEnd(['import', file, '--url', url]);

  const held = runSql(url, 'BEGIN; LOCK TABLE plants; SELECT pg_sleep(60)').catch(() => {});
  await expect.poll(() => runSql(url, LOCKS), { timeout: 10_000 }).toHaveLength(1);
  const exporting = startInProcess(['export', file, '--force', '--url', url]);
  await expect.poll(() => runSql(url, WAITING), { timeout: 10_000 }).toHaveLength(1);
  // A directory neither takes the place of a file, nor is it removed as one.
  const path = join(directory, (await draft()) ?? expect.unreachable('there is no draft'));
  await rm(path);
  await mkdir(path);
  await runSql(url, `SELECT pg_terminate_backend(pid) FROM (${LOCKS}) AS locks`);
  await held;

  expect({ code: await exporting.ended, output: exporting.output() }).toEqual({
    code: 3,
    output: expect.stringMatching(/^plant-store: ENOTDIR: .*, rename .*; the export is incomplete: run it again\n$/),
  });
});

const LOCKS = `SELECT pid FROM pg_locks WHERE relation = 'plants'::regclass AND mode = 'AccessExclusiveLock' AND granted`;
const WAITING = `SELECT pid FROM pg_locks WHERE relation = 'plants'::regclass AND NOT granted`;
