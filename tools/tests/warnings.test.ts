import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { RUN } from './left-processes.ts';

const vitest = fileURLToPath(new URL('./vitest.mjs', import.meta.resolve('vitest/package.json')));
const config = `import { RunReport } from ${JSON.stringify(join(import.meta.dirname, 'run-report.ts'))};
// Not in the environment that it starts with, by which it would find itself.
process.env[${JSON.stringify(RUN)}] = 'of ' + process.pid;
export default {
  test: {
    globals: true,
    globalSetup: 'setup.mjs',
    setupFiles: ${JSON.stringify(join(import.meta.dirname, 'fail-on-warnings.ts'))},
    reporters: [new RunReport()],
  },
};`;

test.each([
  ['of the process of a run', 1, 'process.emitWarning("planted")', ''],
  ['of a worker', 1, '', 'process.emitWarning("planted")'],
  ['of none', 0, '', ''],
])('a warning %s: exit code %i', async (_whose, code, inRun, inTest) => {
  const directory = await mkdtemp(join(tmpdir(), 'plant-store-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'vitest.config.mjs'), config);
  await writeFile(join(directory, 'setup.mjs'), `export const setup = () => ${inRun || '{}'};`);
  await writeFile(join(directory, 'a.test.mjs'), `test('passes', () => ${inTest || '{}'});`);
  const run = promisify(execFile)(process.execPath, [vitest, 'run', '--root', directory]);
  expect(
    await run.then(
      () => 0,
      (error) => error.code,
    ),
  ).toBe(code);
});
