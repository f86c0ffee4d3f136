import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '@plant-store/domain';

/** Keeps work from a server that does not answer, so that callers are told at once instead of after waiting. */
export interface CircuitBreaker {
  /**
   * Does the work, unless the circuit is open.
   * @throws {StoreUnavailable} at once while it is; else what the work throws. A StoreUnavailable opens the circuit,
   *   unless other work was done since this began: then it is this work that is stuck, and not the server.
   */
  guard<T>(work: () => Promise<T>): Promise<T>;
  /** Ends the probing. */
  end(): void;
}

/**
 * Makes a circuit breaker. Once a piece of work has failed with {@link StoreUnavailable}, everything is refused until the
 * server answers a probe, so no caller's request is the one that finds out. A probe that hangs keeps the next one waiting,
 * but not for ever, and closes the circuit when it is answered after all: that is how a frozen server comes back.
 *
 * @param probe resolves when the server can do the work; throws, or hangs, while it cannot.
 * @param onChange is told when the circuit opens and closes, and that it is closed at first.
 */
export function circuitBreaker(
  probe: () => Promise<void>,
  onChange: (state: 'open' | 'closed') => void = () => {},
): CircuitBreaker {
  let failure: string | undefined;
  let done = 0;
  let isProbing = false;
  let isEnded = false;

  function open({ message }: StoreUnavailable): void {
    // Work that was late may fail after the end.
    if (isEnded) return;
    if (failure === undefined) onChange('open');
    failure = message;
    // A loop that waits for a probe to hang for long enough goes on by itself.
    if (!isProbing) void probeUntilAnswered();
  }

  function close(): void {
    if (failure !== undefined) onChange('closed');
    failure = undefined;
  }

  async function probeUntilAnswered(): Promise<void> {
    isProbing = true;
    for (let pause = FIRST_PAUSE_MS; failure !== undefined; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      // With jitter: instances that lost a server together do not come back to it in step.
      await idle(pause * (0.5 + Math.random() / 2));
      await Promise.race([probe().then(close, () => {}), idle(HANGING_PROBE_MS)]);
    }
    isProbing = false;
  }

  onChange('closed');
  return {
    async guard(work) {
      if (failure !== undefined) throw new StoreUnavailable(`${failure} (and is being tried again)`);
      const doneBefore = done;
      try {
        const result = await work();
        done += 1;
        return result;
      } catch (error) {
        if (error instanceof StoreUnavailable && done === doneBefore) open(error);
        throw error;
      }
    },
    end() {
      isEnded = true;
      close();
    },
  };
}

function idle(ms: number): Promise<void> {
  return sleep(ms, undefined, { ref: false });
}

/** 50 ms: a blip costs little more than itself. */
const FIRST_PAUSE_MS = 50;

/** 500 ms: the store is back within half a second of its server. */
const LONGEST_PAUSE_MS = 500;

/**
 * 5 s: each probe that hangs holds a connection, until the server answers or it is dropped. With one every 5 s, ten
 * connections last longer than the 30 s after which the first is dropped.
 */
const HANGING_PROBE_MS = 5_000;
