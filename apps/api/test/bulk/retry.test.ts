import { StoreMisconfigured, StoreOverloaded, StoreUnavailable } from '@plant-store/domain';
import { expect, test } from 'vitest';
import { retried } from '../../src/bulk/import/retry.ts';

function failing(...errors: Error[]) {
  const reasons: string[] = [];
  const controller = new AbortController();
  let attempts = 0;
  const attempt = async () => {
    const error = errors[Math.min(attempts, errors.length - 1)];
    attempts += 1;
    if (error && (attempts <= errors.length || error.message === 'for ever')) throw error;
    return 'stored';
  };
  const run = (forMs: number) =>
    retried(attempt, { forMs, signal: controller.signal, onRetry: (reason) => reasons.push(reason) });
  return { run, reasons, controller, attempts: () => attempts };
}

test('what is unavailable or overloaded is tried again, and each reason is told once', async () => {
  const { run, reasons, attempts } = failing(
    new StoreUnavailable('a'),
    new StoreUnavailable('a'),
    new StoreOverloaded('b'),
  );
  expect(await run(60_000)()).toBe('stored');
  expect({ reasons, attempts: attempts() }).toEqual({ reasons: ['a', 'b'], attempts: 4 });
});

test.each([
  ['a store that stays unavailable', new StoreUnavailable('for ever'), 2],
  ['what waiting does not mend', new StoreMisconfigured('for ever'), 1],
  ['a defect', new TypeError('for ever'), 1],
])('%s is given up', async (_what, error, times) => {
  const { run, attempts } = failing(error);
  await expect(run(1)()).rejects.toBe(error);
  expect(attempts()).toBe(times);
});

test('an interruption gives up, also during a pause', async () => {
  const { run, controller } = failing(new StoreUnavailable('for ever'));
  const attempt = run(60_000);
  const waiting = attempt();
  await Promise.resolve();
  controller.abort();
  await expect(waiting).rejects.toThrow('abort');
  await expect(attempt()).rejects.toThrow('for ever');
});

test('attempts at the same time share a pause', async () => {
  const { run, attempts } = failing(...Array.from({ length: 100 }, () => new StoreUnavailable('a')));
  const attempt = run(60_000);
  expect(await Promise.all(Array.from({ length: 100 }, attempt))).toHaveLength(100);
  expect(attempts()).toBe(200);
});
