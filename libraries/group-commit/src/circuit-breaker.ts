import { type ErrorClasses, isOf } from './errors.ts';
import type { Platform } from './platform.ts';
import { backoffMs } from './retries.ts';

/**
 * Rejects work while the engine does not respond, so that clients fail fast instead of after a timeout.
 */
export interface CircuitBreaker {
  /** The error for new work; undefined while the circuit is closed. */
  readonly rejection: Error | undefined;
  /** The number of successes so far. */
  readonly successes: number;
  succeeded(): void;
  /**
   * Opens the circuit, unless other work has succeeded since this work started. In that case only this work is stuck.
   *
   * @param successesBefore the value of {@link successes} when the work started.
   */
  failed(error: Error, successesBefore: number): void;
  /** Closes the circuit, because the engine has responded. */
  close(): void;
  /** Closes the circuit permanently and stops probing. */
  end(): void;
}

/**
 * Creates a circuit breaker. While it is open, it rejects everything until a probe succeeds, so no client request serves as a
 * probe. A probe that hangs delays the next one only for a while, and closes the circuit if it succeeds after all, for example
 * when a frozen server resumes.
 *
 * @param probe resolves if the engine can do the work; throws, or hangs, if it cannot. It may be called while an earlier call
 * hangs, and must then join that call.
 * @param onChange called with each change of the state, and initially with `closed`.
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
      await pause(backoffMs(attempt, FIRST_PROBE_PAUSE_MS, MAX_PROBE_PAUSE_MS));
      if (failure !== undefined) await Promise.race([probe().then(close, () => {}), pause(MAX_PROBE_PAUSE_MS)]);
    }
    isProbing = false;
  }

  onChange('closed');
  const breaker = {
    successes: 0,
    get rejection() {
      if (failure === undefined) return undefined;
      const Rejection = isOf(Misconfigured, failure) ? Misconfigured : Unavailable;
      return new Rejection(`${failure.message} (circuit breaker open)`);
    },
    succeeded() {
      breaker.successes += 1;
    },
    failed(error: Error, successesBefore: number) {
      // Work that timed out may fail after the end.
      if (isEnded || breaker.successes !== successesBefore) return;
      if (failure === undefined) onChange('open');
      failure = error;
      // A running loop picks up this failure after its probe.
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

/** 50 ms: a short interruption costs little more than its own time. */
const FIRST_PROBE_PAUSE_MS = 50;

/** 500 ms: the circuit closes within half a second after the server is back. */
const MAX_PROBE_PAUSE_MS = 500;
