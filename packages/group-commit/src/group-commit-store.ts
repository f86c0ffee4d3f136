import { type PlantStore, type StoreObserver, StoreOverloaded, StoreUnavailable } from '@plant-store/domain';
import { admissionControl } from './admission-control.ts';
import { batchWriter } from './batch-writer.ts';
import { circuitBreaker, closedCircuit } from './circuit-breaker.ts';
import { completeLimits, type GroupCommitLimits } from './limits.ts';
import { type Platform, processPlatform } from './platform.ts';
import { retries } from './retries.ts';
import { sharedProbe } from './shared-probe.ts';
import type { StorageEngine } from './storage-engine.ts';
import { unobserved } from './unobserved.ts';
import { UnsafeStore } from './unsafe-store.ts';
import { withTimeout } from './with-timeout.ts';
import { writeQueue } from './write-queue.ts';

/**
 * Group commit: a store that writes the adds which are waiting together, with one commit for all of them.
 *
 * No add waits for others to come: the first is written as soon as the input that came with it has been processed, and
 * those that come meanwhile are the next batch. Each add is answered on its own, after its commit and within
 * `timeoutMs`. An add that would have to wait too long is refused at once, and so are all while the store does not
 * respond. After `close` every add and check throws {@link StoreUnavailable}; what is in flight then is answered first.
 *
 * @throws {RangeError} when a limit is out of its range.
 */
export function groupCommitStore(
  engine: StorageEngine,
  limits: GroupCommitLimits = {},
  observer: StoreObserver = unobserved,
  platform: Platform = processPlatform,
): PlantStore {
  const { timeoutMs, maxBatch, maxBatchText, maxWaiting, maxWaitMs, maxWrites } = completeLimits(limits);
  const queue = writeQueue(timeoutMs, platform);
  const admission = admissionControl({ maxBatch, maxWrites, maxWaitMs });
  const probe = sharedProbe(() => engine.probe(), platform);
  const breaker =
    engine.hasCircuitBreaker === false ? closedCircuit : circuitBreaker(probe, platform, observer.circuit);
  const retry = retries((error) => engine.isTransient?.(error) ?? false, platform, observer.retried);
  const writer = batchWriter({ engine, retry, breaker, observer, queue, timeoutMs, platform, onStored });
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
    let isWriting = true;
    const end = () => {
      if (!isWriting) return;
      isWriting = false;
      writes -= 1;
      inFlight -= batch.length;
      writeWaiting();
    };
    // A write that nobody waits for any more goes on, but must not keep the next one waiting.
    const batch = queue.dequeue(admission.nextBatch(), maxBatchText, end);
    const deadline = platform.now() + timeoutMs;
    writes += 1;
    inFlight += batch.length;
    const conflicts = await writer.write(batch);
    end();
    if (conflicts.length > 0) await writer.resolveConflicts(conflicts, deadline);
    queue.release(batch);
  }

  function onStored(plants: number, tookMs: number): void {
    const now = platform.now();
    admission.learn(plants, tookMs, now);
    // What was admitted before the store proved slow would wait for long, and keep out whatever comes behind it.
    const capacity = admission.capacity(inFlight - plants, now);
    if (queue.length > capacity) queue.shed(capacity, overloaded());
  }

  /**
   * Whether the queue is full, or another add would wait too long: by the speed of the store or, when nothing is
   * written any more and the speed says nothing, because others have waited for half of `timeoutMs` already. A moment
   * in which nothing is written is not an overload.
   */
  function isOverloaded(): boolean {
    if (queue.length >= maxWaiting) return true;
    if (inFlight + queue.length === 0) return false;
    return queue.length >= admission.capacity(inFlight, platform.now()) || queue.longestWaitMs > timeoutMs / 2;
  }

  const overloaded = () => new StoreOverloaded(`${queue.length} adds are waiting for the store already`);

  async function check(): Promise<void> {
    const probed = withTimeout(probe(), timeoutMs, platform);
    checks.add(probed);
    try {
      await probed;
      breaker.close();
    } catch (error) {
      if (error instanceof UnsafeStore) breaker.failed(error, breaker.successes);
      throw error;
    } finally {
      checks.delete(probed);
    }
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
        const { refusal } = breaker;
        if (refusal) return Promise.reject(refusal);
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
