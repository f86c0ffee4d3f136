import type { ErrorClasses } from './errors.ts';
import type { Platform } from './platform.ts';
import { backoffMs } from './retries.ts';

/**
 * Keeps work away from an engine that does not respond, so that clients are refused at once instead of after a timeout.
 */
export interface CircuitBreaker {
  /** Why no work may begin now; undefined while the circuit is closed. */
  readonly refusal: Error | undefined;
  /** The number of pieces of work that have succeeded so far. */
  readonly successes: number;
  succeeded(): void;
  /**
   * Opens the circuit, unless other work has succeeded meanwhile: then it is this work that is stuck, and not the
   * engine.
   *
   * @param before what {@link successes} was when the work began.
   */
  failed(error: Error, before: number): void;
  /** Closes the circuit: the engine has just responded. */
  close(): void;
  /** Closes the circuit for good, and ends the probing. */
  end(): void;
}

/**
 * Makes a circuit breaker. While it is open, everything is refused until a probe succeeds, so no client's request
 * serves as the probe. A probe that hangs delays the next one, but not for ever, and closes the circuit if it succeeds
 * after all: that is how a frozen server comes back.
 *
 * @param probe resolves when the engine can do the work; throws, or hangs, while it cannot. It is called again while it
 * hangs, so it has to join the one under way.
 * @param onChange is called when the circuit opens and closes, and once at first, when it is closed.
 */
export function circuitBreaker(
  probe: () => Promise<void>,
  { after }: Pick<Platform, 'after'>,
  { Misconfigured, Unavailable }: Pick<ErrorClasses, 'Misconfigured' | 'Unavailable'>,
  onChange: (state: 'open' | 'closed') => void = () => {},
): CircuitBreaker {
  let failure: Error | undefined;
  let isProbing = false;
  let isEnded = false;
  const pause = (ms: number) => new Promise<void>((resolve) => after(ms, resolve));

  function close(): void {
    if (failure !== undefined) onChange('closed');
    failure = undefined;
  }

  async function probeUntilClosed(): Promise<void> {
    isProbing = true;
    for (let attempt = 0; failure !== undefined; attempt += 1) {
      await pause(backoffMs(attempt, FIRST_PAUSE_MS, LONGEST_PAUSE_MS));
      if (failure !== undefined) await Promise.race([probe().then(close, () => {}), pause(LONGEST_PAUSE_MS)]);
    }
    isProbing = false;
  }

  onChange('closed');
  const breaker = {
    successes: 0,
    get refusal() {
      if (failure === undefined) return undefined;
      const Refusal = failure instanceof Misconfigured ? Misconfigured : Unavailable;
      return new Refusal(`${failure.message} (circuit breaker open)`);
    },
    succeeded() {
      breaker.successes += 1;
    },
    failed(error: Error, before: number) {
      // Work that was late may fail after the end.
      if (isEnded || breaker.successes !== before) return;
      if (failure === undefined) onChange('open');
      failure = error;
      // A loop that still waits for a hanging probe sees this failure next.
      if (!isProbing) void probeUntilClosed();
    },
    close,
    end() {
      isEnded = true;
      close();
    },
  };
  return breaker;
}

/** 50 ms: a blip costs little more than itself. */
const FIRST_PAUSE_MS = 50;

/** 500 ms: the engine is back within half a second of its server. */
const LONGEST_PAUSE_MS = 500;
