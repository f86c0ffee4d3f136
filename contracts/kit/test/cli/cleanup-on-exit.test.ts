import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test.each([
  [['ends', 'SIGTERM'], 143, 'removed\n', ''],
  [['ends', 'SIGINT'], 130, 'removed\n', ''],
  [['ends', 'SIGHUP', 'SIGHUP'], 129, 'removed\n', ''],
  [['never', 'SIGTERM'], 143, '', 'cleanup did not end: the place is gone\n'],
])(
  'after a signal the place is removed, whatever fails meanwhile, and the work does not go on: %j',
  (args, status, stdout, stderr) => {
    const program = join(import.meta.dirname, '../programs/fails-while-cleaning-up.ts');
    const ended = spawnSync(process.execPath, ['--conditions=development', program, ...args], { encoding: 'utf8' });
    expect(ended).toMatchObject({ status, stdout, stderr });
  },
);
