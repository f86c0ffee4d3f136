import { expect, test } from 'vitest';
import { retrying } from '../src/retrying.ts';

/** Work that fails with these errors, one after the other, and then succeeds. Waiting mends what is no TypeError. */
function failing(...errors: Error[]) {
  const reasons: string[] = [];
  const controller = new AbortController();
  const work = async () => {
    const error = errors.shift();
    if (error) throw error;
    return 'stored';
  };
  const mayRecover = (error: unknown) => !(error instanceof TypeError);
  const { signal } = controller;
  const onRetry = (reason: string) => reasons.push(reason);
  const run = (forMs: number) => retrying({ everyMs: 500, forMs, mayRecover, signal, onRetry })(work);
  return { run, reasons, controller, left: () => errors.length };
}

test('while waiting may help, work is repeated, and each reason is told once', async () => {
  const { run, reasons } = failing(new Error('a'), new Error('a'), new Error('b'));
  expect(await run(60_000)).toBe('stored');
  expect(reasons).toEqual(['a', 'b']);
});

test.each([
  ['what does not mend in time', new Error('unavailable'), 1],
  ['what waiting does not mend', new TypeError('undefined'), 60_000],
])('%s is given up', async (_what, error, forMs) => {
  const work = failing(error, error, error, error);
  await expect(work.run(forMs)).rejects.toThrow(error);
  if (forMs > 1) expect(work.left()).toBe(3);
});

test('an interruption ends a pause', async () => {
  const { run, controller } = failing(new Error('a'));
  const waiting = run(60_000);
  await Promise.resolve();
  controller.abort();
  await expect(waiting).rejects.toThrow('abort');
});
