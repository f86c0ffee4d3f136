import { join } from 'node:path';
import { freshDatabase } from '@plant-store/testing-postgres';
import { expect, onTestFinished, test } from 'vitest';
import { environmentOfTheRun, run } from '../running-process.ts';

const main = join(import.meta.dirname, '../../src/main.ts');

/** What a service logs until it has started that may have so many files open, 20 of them connections to its store. */
async function startWith(openFiles: number): Promise<string> {
  const command = [process.execPath, '--conditions=development', main, 'serve'];
  const service = run('bash', ['-c', `ulimit -n ${openFiles}; exec "$@"`, 'bash', ...command], {
    env: {
      ...environmentOfTheRun(),
      PORT: '0',
      ADMIN_PORT: '0',
      API_TOKENS: 'token-of-the-tests',
      DATABASE_URL: await freshDatabase(),
      DATABASE_POOL_SIZE: '20',
      MAX_CONNECTIONS: '290',
      ADMIN_MAX_CONNECTIONS: '10',
    },
  });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  await service.printed(/Press Ctrl-C/);
  return service.output();
}

test('an open-file limit too low for MAX_CONNECTIONS is a warning that says what to do', async () => {
  expect(await startWith(419)).toMatch(
    /"level":40,.*"the limit of open files is 419, but MAX_CONNECTIONS=290 needs 420: .*ulimit -n/,
  );
});

test('a sufficient one is not', async () => {
  expect(await startWith(420)).not.toContain('limit of open files');
});
