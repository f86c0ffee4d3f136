import { type PlantStore, StoreOverloaded, StoreUnavailable } from '@plant-store/domain';
import { admissionControl } from './admission-control.ts';
import { batchWriter } from './batch-writer.ts';
import { circuitBreaker } from './circuit-breaker.ts';
import { completeLimits, type GroupCommitLimits } from './limits.ts';
import { type Platform, processPlatform } from './platform.ts';
import { retries } from './retries.ts';
import type { StorageEngine } from './storage-engine.ts';
import { type StoreObserver, unobserved } from './store-observer.ts';
import { timeoutError, withTimeout } from './with-timeout.ts';
import { writeQueue } from './write-queue.ts';

/**
 * Group commit: a store that writes the adds which are waiting together, with one commit for all of them.
 *
 * No add waits for others to come: the first is written as soon as the input that came with it was looked at, and those
 * that come meanwhile are the next batch. Each add is answered on its own, after its commit, and within `timeoutMs`;
 * where it would have to wait for too long, or the store does not respond, it is refused at once. After `close` every add
 * and check throws {@link StoreUnavailable}; what is in flight then is answered first.
 *
 * @throws {RangeError} when a limit is out of its range.
 */
export function groupCommitStore(
  engine: StorageEngine,
  limits: GroupCommitLimits = {},
  observer: StoreObserver = unobserved,
  platform: Platform = processPlatform,
): PlantStore {
  const { timeoutMs, maxBatch, maxBatchText, maxWaiting, maxWaitingText, maxWaitMs, maxWrites } =
    completeLimits(limits);
  const queue = writeQueue(timeoutMs, platform);
  const admission = admissionControl({ maxBatch, maxWrites, maxWaitMs });
  const breaker = circuitBreaker(() => engine.probe(), platform, observer.circuit);
  const retry = retries((error) => engine.isTransient?.(error) ?? false, platform, observer.retried);
  const writer = batchWriter({ engine, retry, breaker, observer, now: platform.now, onStored });
  observer.watchWaitingAdds(() => queue.length);
  const checks = new Set<Promise<void>>();
  let writes = 0;
  let inFlight = 0;
  let isDeferred = false;
  let closed: Promise<void> | undefined;

  function writeWaiting(): void {
    isDeferred = false;
    while (queue.length > 0 && writes < maxWrites) void writeNext();
  }

  async function writeNext(): Promise<void> {
    const began = platform.now();
    const successes = breaker.successes;
    let isWriting = true;
    const end = () => {
      if (!isWriting) return;
      isWriting = false;
      writes -= 1;
      inFlight -= batch.adds.length;
      writeWaiting();
    };
    const batch = queue.dequeue(admission.nextBatch(), maxBatchText, () => {
      // That somebody holds a row for long is no outage.
      if (!isWriting) return;
      breaker.failed(timeoutError(timeoutMs), successes);
      observer.wrote('failed', batch.adds.length, (platform.now() - began) / 1_000);
      // It goes on, but must not keep others from being tried.
      end();
    });
    writes += 1;
    inFlight += batch.adds.length;
    const conflicts = await writer.write(batch);
    end();
    await writer.resolveConflicts(conflicts, batch.deadline);
    queue.release(batch);
  }

  function onStored(plants: number, tookMs: number): void {
    const now = platform.now();
    admission.learn(plants, tookMs, now);
    // What came before it was known how slow the store is would wait for long, and let nobody in behind it.
    const capacity = admission.capacity(inFlight - plants, now);
    if (queue.length > capacity) queue.shed(capacity, overloaded());
  }

  /**
   * Whether there is no room for another add, or it would wait too long: by the speed of the store or, where that does not
   * tell because nothing is written any more, by others having waited for half the time that there is: a moment in which
   * nothing is written is no overload.
   */
  function isOverloaded(): boolean {
    if (queue.length >= maxWaiting || queue.textLength >= maxWaitingText) return true;
    if (inFlight + queue.length === 0) return false;
    return queue.length >= admission.capacity(inFlight, platform.now()) || queue.longestWaitMs > timeoutMs / 2;
  }

  const overloaded = () => new StoreOverloaded(`${queue.length} adds are waiting for the store already`);

  async function check(): Promise<void> {
    const probed = withTimeout(engine.probe(), timeoutMs, platform);
    checks.add(probed);
    await probed.finally(() => checks.delete(probed));
    breaker.close();
  }

  async function close(): Promise<void> {
    await Promise.allSettled([queue.drained(), ...checks]);
    breaker.end();
    await engine.close();
  }

  return {
    plants: {
      add(plant) {
        if (closed) return refuseClosed();
        if (isOverloaded()) return Promise.reject(overloaded());
        if (!isDeferred && writes < maxWrites) {
          isDeferred = true;
          platform.defer(writeWaiting);
        }
        return queue.enqueue(plant);
      },
    },
    check: () => (closed ? refuseClosed() : check()),
    close: () => (closed ??= close()),
  };
}

function refuseClosed(): Promise<never> {
  return Promise.reject(new StoreUnavailable('the store is closed'));
}
