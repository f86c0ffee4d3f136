import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { create, scratchDirectory, startService } from '../running-service.ts';

test.skipIf(process.platform !== 'linux')(
  'SIGUSR1 opens the debugger neither of the service nor of the process of SQLite',
  async () => {
    const file = join(await scratchDirectory(onTestFinished), 'plants.db');
    using service = await startService({ DATABASE_URL: `sqlite:${file}` });
    const { pid = 0 } = service.process;
    const children = () => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    // The process that has migrated the file may still be exiting.
    await expect.poll(children).toHaveLength(1);
    expect(handlesSigusr1(Number(children()[0]))).toBe(false);
    process.kill(pid, 'SIGUSR1');
    await sleep(500);
    expect(service.output()).not.toMatch(/debugger|inspector/i);
    expect((await create(service.url, { id: 1, name: 'Fern' })).status).toBe(200);
  },
);

/** Linux lists which signals a process handles. */
function handlesSigusr1(pid: number): boolean {
  const [, handled = ''] = /^SigCgt:\s*(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (BigInt(`0x${handled}`) & (1n << 9n)) !== 0n;
}
