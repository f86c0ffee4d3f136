import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const vitest = fileURLToPath(new URL('./vitest.mjs', import.meta.resolve('vitest/package.json')));
const here = (name: string) => JSON.stringify(join(import.meta.dirname, name));
const configOf = (endsWithinMs: number) => `import { strictRun } from ${here('strict-run.ts')};
const setupFiles = [${here('fail-on-warnings.ts')}, ${here('nothing-left.ts')}];
const one = { globals: true, isolate: false, maxWorkers: 1, globalSetup: 'setup.mjs', setupFiles };
export default { test: { ...one, reporters: [strictRun(${endsWithinMs})] } };`;

const spawn = (seconds: number) =>
  `process.getBuiltinModule('child_process').spawn('sleep', ['${seconds}'], { detached: true, stdio: 'ignore' }).unref()`;

test.each([
  ['fails for a warning of its own', 'process.emitWarning("planted")', '', /planted/],
  ['fails for a warning of a test', '', 'process.emitWarning("planted")', /planted/],
  ['fails for a process that a test leaves behind', '', spawn(98_765), /process \d+ sleep 98765/],
  ['waits for a process that is about to end', '', spawn(0.1), undefined],
  ['takes back what a test has replaced', '', 'vi.useFakeTimers(); vi.stubGlobal("fetch", 1)', undefined],
])('a run %s', async (_what, inRun, inTest, error) => {
  const directory = await mkdtemp(join(tmpdir(), 'plant-store-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'vitest.config.mjs'), configOf(error ? 0 : 30_000));
  await writeFile(join(directory, 'setup.mjs'), `export const setup = () => ${inRun || '{}'};`);
  // Whichever runs first: two files in one worker, each of which has to find what the other has replaced as it was.
  const text = `test('a', () => { expect([vi.isFakeTimers(), fetch]).toEqual([false, expect.any(Function)]); ${inTest} });`;
  for (const name of ['a', 'b']) await writeFile(join(directory, `${name}.test.mjs`), text);
  const { code = 0, stderr } = await promisify(execFile)(process.execPath, [vitest, 'run', '--root', directory]).catch(
    (failed) => failed,
  );
  for (const [, pid] of stderr.matchAll(/process (\d+) sleep 98765/g)) process.kill(Number(pid));
  expect(code, stderr).toBe(error ? 1 : 0);
  if (error) expect(stderr).toMatch(error);
});
