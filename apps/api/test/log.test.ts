import { expect, test } from 'vitest';
import { serializeError } from '../src/log.ts';
import { create, startService } from './running-service.ts';

test('an error in the log has its type, code, message, stack and causes, and no property of a driver', () => {
  const row = { detail: 'Key (id)=(7) exists', sql: 'INSERT', parameters: ['rose'] };
  const cause = Object.assign(new TypeError('duplicate key'), row, { code: '23505' });
  const error = Object.assign(new Error('failed', { cause }), row, { code: 7 });
  expect(JSON.parse(JSON.stringify(serializeError(error)))).toEqual({
    type: 'Error',
    message: 'failed',
    stack: error.stack,
    cause: { type: 'TypeError', code: '23505', message: 'duplicate key', stack: cause.stack },
  });
});

test('an error may be its own cause', () => {
  const error = new Error('round');
  error.cause = error;
  expect(JSON.stringify(serializeError(error)).match(/"message":"round"/g)).toHaveLength(6);
});

test('P7/F8 SIGUSR1 opens no debugger, and with it the tokens; and a log without a reader neither ends the service nor keeps it from ending', async () => {
  using service = await startService({ DATABASE_URL: 'memory:' });
  service.process.kill('SIGUSR1');
  expect((await create(service.url, { id: 1, name: 'Fern' })).status).toBe(200);
  service.process.stdout?.destroy();
  expect((await create(service.url, '{}', 'no')).status).toBe(401);
  expect(await service.stop()).toBe(0);
  // A debugger's thread prints at some time.
  expect(service.output()).not.toMatch(/debugger|inspector/i);
});
