import { expect, test } from 'vitest';
import { create, startService } from './running-service.ts';

test('P7/F8 SIGUSR1 does not open the debugger of the service, and with it the tokens', async () => {
  using service = await startService({ DATABASE_URL: 'memory:' });
  service.process.kill('SIGUSR1');
  expect((await create(service.url, { id: 1, name: 'Fern' })).status).toBe(200);
  expect(await service.stop()).toBe(0);
  expect(service.output()).not.toMatch(/debugger|inspector/i);
});
