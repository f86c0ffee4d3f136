import { join } from 'node:path';
import { expect, test } from 'vitest';
import { environmentOfTheRun, run } from '../running-process.ts';
import { TOKEN } from '../running-service.ts';

test('V8 places nothing of a request in the old generation because what it made at the start survived', async () => {
  // V8 prints what it decides: without the option of main.ts, one to six times in every start.
  const trace = [
    '--trace-pretenuring-statistics',
    '--conditions=development',
    join(import.meta.dirname, '../../src/main.ts'),
  ];
  const settings = { PORT: '0', ADMIN_PORT: '0', API_TOKENS: TOKEN, DATABASE_URL: 'memory:' };
  const service = run(process.execPath, trace, { env: { ...environmentOfTheRun(), ...settings } });
  await service.printed(/"listening on/);
  service.process.kill('SIGTERM');
  expect(await service.ended).toBe(0);
  expect(service.output()).not.toContain('=> tenure');
});
