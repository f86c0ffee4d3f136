import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { environmentOfTheRun } from '../running-process.ts';
import { create, scratchDirectory, TOKEN } from '../running-service.ts';

const main = join(import.meta.dirname, '../../src/main.ts');

test('a service whose log is no longer read keeps running, and shuts down when asked to', async () => {
  const service = spawn(process.execPath, ['--conditions=development', main], {
    env: {
      ...environmentOfTheRun(),
      DATA_DIR: await scratchDirectory(onTestFinished),
      PORT: '0',
      ADMIN_PORT: 'off',
      API_TOKENS: TOKEN,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void service.kill('SIGKILL'));
  const ended = once(service, 'exit');
  const [line] = await once(service.stdout, 'data');
  const url = /http:[^",]+/.exec(String(line))?.[0] ?? '';
  service.stdout.destroy();

  for (let id = 1; id <= 100; id += 1) expect((await create(url, { id, name: 'Fern' })).status).toBe(200);
  service.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});
