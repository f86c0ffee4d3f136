import type { RunningProcess } from './running-process.ts';
import { type OnTestFinished, plantStore } from './running-service.ts';

/** For a busy machine. */
export const patiently = { timeout: 20_000 };

/** Resolves when it has reached the outage of PR-12, which takes some seconds, during which its place exists. */
export async function startedOutage(url: string, onTestFinished: OnTestFinished): Promise<RunningProcess> {
  const run = plantStore(['verify-store', '--only', 'PR-3,PR-12'], { DATABASE_URL: url });
  onTestFinished(() => void run.process.kill('SIGKILL'));
  await run.printed(/✓ PR-3 .*\n/);
  return run;
}
