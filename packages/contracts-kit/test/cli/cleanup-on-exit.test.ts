import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test.each([
  ['ends', 'removed\n', ''],
  ['never', '', 'cleanup did not end: the place is gone\n'],
])(
  'a call that fails because its place is being removed ends the process neither before nor with another code: %s',
  (what, stdout, stderr) => {
    const program = join(import.meta.dirname, '../programs/fails-while-cleaning-up.ts');
    const result = spawnSync(process.execPath, ['--conditions=development', program, what], { encoding: 'utf8' });
    expect(result).toMatchObject({ status: 143, stdout, stderr });
  },
);
