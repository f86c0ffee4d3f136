import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test.each([
  [['SIGTERM'], 143],
  [['SIGINT'], 130],
  [['SIGHUP', 'SIGHUP'], 129],
])('after %j the place is removed, whatever fails meanwhile, and the work does not continue', (signals, status) => {
  const program = join(import.meta.dirname, '../programs/fails-while-cleaning-up.ts');
  const args = ['--conditions=development', program, ...signals];
  const ended = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(ended).toMatchObject({ status, stdout: 'removed\n', stderr: '' });
});
