import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';

interface JsonReport {
  readonly testResults: readonly { readonly assertionResults: readonly Assertion[] }[];
}

export interface Assertion {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
}

const vitest = fileURLToPath(new URL('./vitest.mjs', import.meta.resolve('vitest/package.json')));

/** Runs a file of `programs` in a vitest of its own: some of its tests have to fail. Resolves with the notes of skipped ones, too. */
export async function runInVitest(name: string): Promise<{ tests: readonly Assertion[]; notes: readonly string[] }> {
  const directory = await mkdtemp(join(tmpdir(), 'contracts-kit-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const report = join(directory, 'report.json');
  const args = [
    'run',
    name,
    '--config=test/programs/vitest.config.ts',
    '--reporter=json',
    '--reporter=verbose',
    `--outputFile=${report}`,
  ];
  const run = promisify(execFile)(process.execPath, [vitest, ...args], {
    cwd: join(import.meta.dirname, '..'),
    env: { ...process.env, NO_COLOR: '1' },
  });
  const { stdout } = await run.then(
    () => expect.unreachable(),
    (error: { readonly stdout: string }) => error,
  );
  const { testResults } = JSON.parse(await readFile(report, 'utf8')) as JsonReport;
  return {
    tests: testResults.flatMap(({ assertionResults }) => assertionResults),
    notes: stdout.match(/(?<=↓.*\[).+(?=\]$)/gm) ?? [],
  };
}
