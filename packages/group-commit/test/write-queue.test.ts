import { expect, test, vi } from 'vitest';
import { writeQueue } from '../src/write-queue.ts';
import { virtualPlatform } from './virtual-platform.ts';

function setUp() {
  const virtual = virtualPlatform();
  const after = vi.fn(virtual.platform.after);
  const queue = writeQueue(2_000, { now: virtual.platform.now, after });
  const enqueue = (id: bigint) => queue.enqueue({ id, name: '' }).catch((error: unknown) => error);
  return { ...virtual, after, queue, enqueue };
}

test('a batch whose adds have all timed out is abandoned once', async () => {
  const { queue, enqueue, pass } = setUp();
  const onAbandoned = vi.fn<() => void>();
  enqueue(1n);
  queue.dequeue(9, 9, onAbandoned);
  await pass(1_000);
  enqueue(2n);
  expect(onAbandoned).not.toHaveBeenCalled();
  await pass(2_000);
  expect(onAbandoned).toHaveBeenCalledTimes(1);
});

test('a batch that is released is not abandoned, and others are', async () => {
  const { queue, enqueue, pass } = setUp();
  const onAbandoned = vi.fn<(batch: number) => void>();
  enqueue(1n);
  const first = queue.dequeue(9, 9, () => onAbandoned(1));
  enqueue(2n);
  queue.dequeue(9, 9, () => onAbandoned(2));
  queue.release(first);
  await pass(2_000);
  expect(onAbandoned.mock.calls).toEqual([[2]]);
});

test('the timer is set for the next deadline that an add still waits for', async () => {
  const { queue, enqueue, pass, after } = setUp();
  enqueue(1n);
  await pass(500);
  enqueue(2n);
  queue.dequeue(9, 9, () => {});
  await pass(1_000);
  enqueue(3n);
  await pass(2_000);
  expect(after.mock.calls.map(([ms]) => ms)).toEqual([2_000, 500, 1_000]);
});

test('a timeout calls back without any add, unless it is cleared', async () => {
  const { queue, pass } = setUp();
  const onTimeout = vi.fn<(which: string) => void>();
  const clear = queue.startTimeout(() => onTimeout('cleared'));
  queue.startTimeout(() => onTimeout('kept'));
  clear();
  await pass(2_000);
  expect(onTimeout.mock.calls).toEqual([['kept']]);
});
