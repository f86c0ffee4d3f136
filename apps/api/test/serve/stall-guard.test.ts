import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../running-process.ts';

const module = join(import.meta.dirname, '../../src/serve/stall-guard.ts');

/** Runs a program with a guard that allows 200 ms; its output, and how it ended. */
async function runGuarded(program: string): Promise<{ ended: number | NodeJS.Signals; output: string }> {
  const code = `import { killIfStalled } from ${JSON.stringify(module)}; killIfStalled(200, 20); ${program}`;
  const guarded = run(process.execPath, ['--input-type=module', '--eval', code], { timeout: 20_000 });
  return { ended: await guarded.ended, output: guarded.output() };
}

test('a process whose event loop is blocked is killed, and says why', async () => {
  expect(await runGuarded('setTimeout(() => { for (;;); }, 50)')).toEqual({
    ended: 'SIGKILL',
    output: 'plant-store: the event loop is blocked for 200 ms; killing the process\n',
  });
});

test('one that is blocked for less goes on, and the guard does not keep it from exiting', async () => {
  const block = 'const end = performance.now() + 60; while (performance.now() < end);';
  expect(await runGuarded(`setTimeout(() => { ${block} console.log('done'); }, 300)`)).toEqual({
    ended: 0,
    output: 'done\n',
  });
});

test('one that a debugger was attached to may be stopped by it', async () => {
  const block = 'const end = performance.now() + 400; while (performance.now() < end); process.exit(7);';
  const attach = 'process.getBuiltinModule("inspector").open(0);';
  const { ended } = await runGuarded(`setTimeout(() => { ${attach} setTimeout(() => { ${block} }, 100) }, 100)`);
  expect(ended).toBe(7);
});
