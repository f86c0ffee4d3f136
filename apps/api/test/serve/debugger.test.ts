import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { environmentOfTheRun, run } from '../running-process.ts';
import { scratchDirectory, TOKEN } from '../running-service.ts';

const root = join(import.meta.dirname, '../../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const { scripts } = JSON.parse(read('package.json'));
const main = 'apps/api/src/main.ts';
const [, shebang] = /^#!(.*)/.exec(read(main)) ?? [];
const [, alone = ''] = /^(exec "\$PWD.*) "\\\$@"$/m.exec(read('docs/operations.md')) ?? [];

// Node's handler of SIGUSR1 opens the debugger to every user of the machine. Linux lists which signals a process handles.
const handlesSigusr1 = (pid: number | string) => {
  const [, handled = ''] = /^SigCgt:\s*(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (BigInt(`0x${handled}`) & (1n << 9n)) !== 0n;
};

test.skipIf(process.platform !== 'linux').each([
  ['pnpm start', scripts.start],
  ['pnpm plant-store', `${scripts['plant-store']} serve`],
  ['the page on operations', `${alone} serve`],
  ['an installed package, and so the image', `exec ${shebang} ${main} serve`],
])('SIGUSR1 opens no debugger in a process of a service that is started as by %s', async (_, command) => {
  const { PATH, ...environment } = environmentOfTheRun();
  const given = { PATH: `${dirname(process.execPath)}:${PATH}`, NODE_OPTIONS: '--conditions=development' };
  const settings = {
    PORT: '0',
    ADMIN_PORT: 'off',
    API_TOKENS: TOKEN,
    DATA_DIR: await scratchDirectory(onTestFinished),
  };
  const service = run('bash', ['-c', command], { cwd: root, env: { ...environment, ...given, ...settings } });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  await service.printed(/"listening on/);
  const { pid } = service.process;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  // SQLite's writer is a process of its own, with the same environment.
  expect(children).toHaveLength(1);
  expect([`${pid}`, ...children].filter(handlesSigusr1)).toEqual([]);
});
