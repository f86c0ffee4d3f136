import type { RunningProcess } from './running-process.ts';
import { plantStore } from './running-service.ts';

/** For a busy machine. */
export const patiently = { timeout: 20_000 };

/** Resolves when it has reached the outage of PR-12, which takes some seconds, during which its place exists. */
export async function startedOutage(
  url: string,
  onTestFinished: (kill: () => void) => void,
  before: readonly string[] = [],
): Promise<RunningProcess> {
  const ids = ['PR-3', ...before];
  const run = plantStore(['verify-store', '--only', [...ids, 'PR-12'].join()], { DATABASE_URL: url });
  onTestFinished(() => void run.process.kill('SIGKILL'));
  await run.printed(new RegExp(`✓ ${ids.at(-1)} .*\n`));
  return run;
}
