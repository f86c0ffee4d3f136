import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test.each([
  ['ends', 'removed\n', ''],
  ['never', '', 'cleanup did not end: the place is gone\n'],
])(
  'a call that fails because its place is being removed ends the process neither before nor with another code: %s',
  (what, stdout, stderr) => {
    expect(run('fails-while-cleaning-up', what)).toMatchObject({ status: 143, stdout, stderr });
  },
);

test('a wrong store that never closes does not hold up the end', () => {
  expect(run('closes-never')).toMatchObject({ status: 0, stdout: 'ended\n', stderr: '' });
});

function run(program: string, ...args: readonly string[]) {
  const path = join(import.meta.dirname, `../programs/${program}.ts`);
  return spawnSync(process.execPath, ['--conditions=development', path, ...args], { encoding: 'utf8' });
}
