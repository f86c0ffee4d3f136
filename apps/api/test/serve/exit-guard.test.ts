import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../running-process.ts';

const module = join(import.meta.dirname, '../../src/serve/exit-guard.ts');

/** Runs a program with at most 64 open files, in a process group of its own. */
function start(program: string) {
  const code = `import { killAfter } from ${JSON.stringify(module)}; ${program}`;
  const script = 'ulimit -n 64; exec "$0" --input-type=module --eval "$1"';
  return run('bash', ['-c', script, process.execPath, code], {
    timeout: 10_000,
    killSignal: 'SIGABRT',
    detached: true,
  });
}

test('it exits as asked without a guard, if no file can be opened or no process be started', async () => {
  const openAll = 'import { openSync } from "node:fs"; try { for (;;) openSync("/dev/null"); } catch {}';
  const withoutFiles = start(`${openAll} const { exit } = killAfter(1_000); setTimeout(() => exit(7), 20);`);
  // spawn throws for a path with NUL, as it does without memory.
  const withoutProcess = start(`process.execPath = "node\\0"; killAfter(1_000).exit(7);`);
  expect([await withoutFiles.ended, withoutFiles.output()]).toEqual([7, '']);
  expect([await withoutProcess.ended, withoutProcess.output()]).toEqual([7, '']);
});

test('a signal to the process group does not end the guard', async () => {
  const blocked = start('process.on("SIGTERM", () => {}); killAfter(0); console.log("guarded"); for (;;);');
  await blocked.printed(/guarded/);
  process.kill(-Number(blocked.process.pid), 'SIGTERM');
  expect(await blocked.ended).toBe('SIGKILL');
});
