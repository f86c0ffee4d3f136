import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('a call that fails because its place is being removed ends the process neither before nor with another code', () => {
  const program = join(import.meta.dirname, '../programs/fails-while-cleaning-up.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--conditions=development', program], {
    encoding: 'utf8',
  });
  expect({ status, stdout, stderr }).toEqual({ status: 143, stdout: 'removed\n', stderr: '' });
});
