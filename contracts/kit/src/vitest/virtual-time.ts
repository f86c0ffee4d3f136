import { setImmediate } from 'node:timers/promises';
import type { Tools } from '../contract.ts';

/**
 * Runs a function in virtual time: the given tools are its only way to wait, and once nothing else is left to do, time
 * jumps to the next sleeper. So outages cost nothing, a hang is found at once, and every run is the same.
 */
export async function inVirtualTime<T>(run: (tools: Tools) => Promise<T>): Promise<T> {
  const sleepers = new Sleepers();
  let running = true;
  const result = run({ sleep: (ms) => sleepers.sleep(ms), nextTurn: () => sleepers.sleep(0) }).finally(() => {
    running = false;
  });
  // Awaited below, but only after the next immediate.
  result.catch(() => {});

  for (;;) {
    // All pending promise reactions run before an immediate: whatever can happen without waiting has happened then.
    await setImmediate();
    if (!running) return result;
    sleepers.wakeNext();
  }
}

class Sleepers {
  #now = 0;
  /** Keyed by duration: sleeps of the same duration end in the order in which they began. */
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
    if (this.#now === Number.POSITIVE_INFINITY) throw new Error('deadlock: everything waits, and no sleep is left');
    for (const queue of queues) while (queue[0]?.at === this.#now) queue.shift()?.wake();
  }
}
