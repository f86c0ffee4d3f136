import type { BatchEngine } from './batch-engine.ts';
import { toError } from './errors.ts';
import type { GroupCommitEvents } from './events.ts';
import { type Platform, pause, withTimeout } from './platform.ts';

/** Decides whether the engine is healthy, by probes and by nothing else. */
export type Watch = ReturnType<typeof watchEngine>;

/**
 * Watches an engine. While items arrive, and while it is unhealthy, it is probed once a second. The first item after a second without any
 * makes a probe due at once.
 *
 * @param timedOut makes the error of a probe that takes longer than `timeoutMs`.
 */
export function watchEngine(
  engine: Pick<BatchEngine<never, never>, 'probe' | 'classify'>,
  events: Pick<GroupCommitEvents, 'health'>,
  platform: Platform,
  timeoutMs: number,
  timedOut: () => Error,
) {
  const { now, after } = platform;
  let failure: Error | undefined;
  /** When the latest probe ended. */
  let endedAt: number | undefined;
  let inFlight: Promise<void> | undefined;
  /** Cancels the timer of the next probe, while there is one. */
  let cancelNext: (() => void) | undefined;
  let hasArrived = false;
  let isEnded = false;

  /** Resolves when the probe in flight, or a new one, has ended. Throws what the event handler throws. */
  const probe = (): Promise<void> => (inFlight ??= probeOnce());

  async function probeOnce(): Promise<void> {
    cancelNext?.();
    cancelNext = undefined;
    hasArrived = false;
    const call = callEngine(now() + timeoutMs).then(() => undefined, toError);
    const found = await withTimeout(call, timeoutMs, timedOut, platform).catch(toError);
    const hasChanged = endedAt === undefined || !failure !== !found;
    failure = found;
    endedAt = now();
    inFlight = undefined;
    if (!isEnded) cancelNext = after(BUSY_MS, probeIfBusy);
    if (hasChanged) events.health?.(found);
  }

  /** A short lock, or a connection that the server has closed, is no reason to reject items. */
  async function callEngine(deadline: number): Promise<void> {
    for (const until = now() + timeoutMs / 4; ; await pause(platform, PROBE_PAUSE_MS)) {
      try {
        return await engine.probe(deadline);
      } catch (thrown) {
        const error = toError(thrown);
        const meaning = engine.classify?.(error);
        const mayPass = meaning === 'transient' || meaning === 'locked';
        if (failure || !mayPass || isEnded || now() + PROBE_PAUSE_MS > until) throw error;
      }
    }
  }

  function probeIfBusy(): void {
    cancelNext = undefined;
    // Nobody waits for it who could be told that the event handler has thrown.
    if (hasArrived || failure) probe().catch(() => {});
  }

  async function assertHealthy(maxAgeMs: number): Promise<void> {
    if (endedAt === undefined || now() - endedAt > maxAgeMs) await probe();
    if (failure) throw failure;
  }

  return {
    /** The error of the latest probe; undefined if it passed, or before the first one has ended. */
    get failure(): Error | undefined {
      return failure;
    },
    /** An item has arrived, or will be tried again. */
    arrived(): void {
      hasArrived = true;
      if (!inFlight && !cancelNext) probeIfBusy();
    },
    /**
     * Throws the error of the latest probe, if it failed. Waits for another one if it ended more than ten seconds ago, or more than a
     * second ago and another one is in flight.
     */
    check: () => assertHealthy(inFlight ? BUSY_MS : IDLE_MS),
    /** The same, but waits for another probe if the latest one ended more than a second ago. */
    confirm: () => assertHealthy(BUSY_MS),
    /** Stops. Resolves once no probe is in flight, or it has timed out. */
    async end(): Promise<void> {
      isEnded = true;
      cancelNext?.();
      await inFlight?.catch(() => {});
    },
  };
}

/** 1 s: a probe takes little of that, and it is how long the engine may be unsafe without notice. */
const BUSY_MS = 1_000;

/** 10 s: an idle engine that is checked every second commits at most seven times a minute. */
const IDLE_MS = 10_000;

/** 20 ms: as long as a few commits of another writer. */
const PROBE_PAUSE_MS = 20;
