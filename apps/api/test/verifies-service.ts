import { httpContract } from '@plant-store/contracts-http';
import { expect } from 'vitest';
import { plantStore, startService, TOKEN } from './running-service.ts';

export const OTHER_TOKEN = 'other-token-of-the-tests';

/** `plant-store verify` finds every clause passed by a service on this store. */
export async function expectVerified(DATABASE_URL: string, onTestFinished: (stop: () => void) => void): Promise<void> {
  const service = await startService({ DATABASE_URL, API_TOKENS: `${TOKEN},${OTHER_TOKEN}`, LOG_LEVEL: 'info' });
  onTestFinished(() => void service.process.kill('SIGKILL'));

  const run = plantStore(['verify', '--url', service.url, '--other-token', OTHER_TOKEN], { API_TOKEN: TOKEN });
  const code = await run.ended;
  const lines = run.output().split('\n');
  const all = httpContract.clauses.map(({ id, title }) => `✓ ${id.padEnd(5)}  ${title}`);
  expect(lines.slice(0, -2)).toEqual(all);
  expect(lines.slice(-2)).toEqual([
    expect.stringMatching(
      new RegExp(`^${all.length} passed, 0 not promised, 0 not checked, 0 failed, in \\d+\\.\\d s$`),
    ),
    '',
  ]);
  expect(code).toBe(0);
}
