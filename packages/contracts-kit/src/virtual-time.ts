import { setImmediate } from 'node:timers/promises';
import type { Tools } from './contract.ts';

/**
 * Runs something whose only ways to wait are the given tools, without waiting: once nothing else is left to do, time
 * jumps to the next sleeper. So outages cost nothing, what hangs is found at once, and every run is the same.
 */
export async function inVirtualTime<T>(run: (tools: Tools) => Promise<T>): Promise<T> {
  const sleepers = new Sleepers();
  let running = true;
  const result = run({ sleep: (ms) => sleepers.sleep(ms), nextTurn: () => sleepers.sleep(0) }).finally(() => {
    running = false;
  });
  // Handled below, but only after the next immediate.
  result.catch(() => {});

  for (;;) {
    // Promises settle before immediates run, all of them: whatever can happen without waiting has happened then.
    await setImmediate();
    if (!running) return result;
    sleepers.wakeNext();
  }
}

class Sleepers {
  #now = 0;
  /** By how long they sleep: among those that sleep equally long, the first to lie down is the first to wake. */
  readonly #byDuration = new Map<number, { at: number; wake: () => void }[]>();

  sleep(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const queue = this.#byDuration.get(ms) ?? [];
    this.#byDuration.set(ms, queue);
    queue.push({ at: this.#now + ms, wake: resolve });
    return promise;
  }

  wakeNext(): void {
    const queues = [...this.#byDuration.values()];
    this.#now = Math.min(...queues.map(([first]) => first?.at ?? Number.POSITIVE_INFINITY));
    if (this.#now === Number.POSITIVE_INFINITY) throw new Error('everything waits, and nothing is left to wait for');
    for (const queue of queues) while (queue[0]?.at === this.#now) queue.shift()?.wake();
  }
}
