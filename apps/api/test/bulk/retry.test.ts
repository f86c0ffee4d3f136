import { StoreMisconfigured, StoreOverloaded, StoreUnavailable } from '@plant-store/domain';
import { expect, test } from 'vitest';
import { retrying } from '../../src/bulk/retry.ts';

/** Work that fails with these errors, one after the other, and then succeeds. */
function failing(...errors: Error[]) {
  const reasons: string[] = [];
  const controller = new AbortController();
  const work = async () => {
    const error = errors.shift();
    if (error) throw error;
    return 'stored';
  };
  const run = (forMs: number) => retrying(forMs, controller.signal, (reason) => reasons.push(reason))(work);
  return { run, reasons, controller, left: () => errors.length };
}

test('while the store is unavailable or overloaded, work is repeated, and each reason is told once', async () => {
  const { run, reasons } = failing(new StoreUnavailable('a'), new StoreUnavailable('a'), new StoreOverloaded('b'));
  expect(await run(60_000)).toBe('stored');
  expect(reasons).toEqual(['a', 'b']);
});

test.each([
  ['a store that stays unavailable', new StoreUnavailable('unavailable'), 1],
  ['what waiting does not fix', new StoreMisconfigured('misconfigured'), 60_000],
  ['a defect', new TypeError('undefined'), 60_000],
])('%s is given up', async (_what, error, forMs) => {
  const work = failing(error, error, error, error);
  await expect(work.run(forMs)).rejects.toThrow(error);
  if (forMs > 1) expect(work.left()).toBe(3);
});

test('an interruption ends a pause', async () => {
  const { run, controller } = failing(new StoreUnavailable('a'));
  const waiting = run(60_000);
  await Promise.resolve();
  controller.abort();
  await expect(waiting).rejects.toThrow('abort');
});
