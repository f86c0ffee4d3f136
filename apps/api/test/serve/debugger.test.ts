import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { environmentOfTheRun, run, scratchDirectory, TOKEN } from '../running-service.ts';

const root = join(import.meta.dirname, '../../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const { scripts } = JSON.parse(read('package.json'));
const main = 'apps/api/src/main.ts';
const flag = '--disable-sigusr1';

test.each([
  ['pnpm start', scripts.start],
  ['pnpm plant-store', scripts['plant-store']],
  ['the page on operations', /^exec "\$PWD.*main\.ts" "\\\$@"$/m.exec(read('docs/operations.md'))?.[0]],
  ['an installed package, and so the image', /^#!.*/.exec(read(main))?.[0]],
])(
  'a service is started without the signal that opens the debugger to every user of the machine by %s',
  (_, command) => {
    expect(command).toMatch(new RegExp(`\\bnode"? (.* )?${flag}\\b`));
  },
);

// Linux lists which signals a process handles.
const handlesSigusr1 = (pid: number | string) => {
  const [, handled = ''] = /^SigCgt:\s*(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (BigInt(`0x${handled}`) & (1n << 9n)) !== 0n;
};

test.skipIf(process.platform !== 'linux')(
  `with ${flag} neither the service nor SQLite's process handles SIGUSR1`,
  async () => {
    const DATA_DIR = await scratchDirectory(onTestFinished);
    const env = { ...environmentOfTheRun(), PORT: '0', ADMIN_PORT: 'off', API_TOKENS: TOKEN, DATA_DIR };
    using service = run(process.execPath, [flag, '--conditions=development', main, 'serve'], { cwd: root, env });
    await service.printed(/"listening on/);
    const { pid } = service.process;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    expect(children).toHaveLength(1);
    expect([`${pid}`, ...children].filter(handlesSigusr1)).toEqual([]);
  },
);
