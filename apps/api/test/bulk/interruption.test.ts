import { readdir, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { plantStore, scratchDirectory } from '../running-service.ts';
import { patiently } from '../started-outage.ts';

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends an import within a line that has no end', async (signal) => {
  const file = join(await scratchDirectory(onTestFinished), 'in.ndjson');
  await writeFile(file, '');
  // A hole of 1 TiB, which takes minutes to read.
  await truncate(file, 2 ** 40);
  const importing = plantStore(['import', file, '--dry-run']);
  onTestFinished(() => void importing.process.kill('SIGKILL'));
  await expect.poll(() => readdir(dirname(file)), patiently).toHaveLength(2);
  importing.process.kill(signal);
  expect(await importing.ended).toBe(3);
  expect(await readdir(dirname(file))).toEqual(['in.ndjson']);
  expect(importing.output()).toContain('stopped: interrupted');
});
