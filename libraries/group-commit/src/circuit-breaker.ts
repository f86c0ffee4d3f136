import type { BatchEngine } from './batch-engine.ts';
import { type ErrorClasses, isOf } from './errors.ts';
import type { GroupCommitEvents } from './events.ts';
import type { Platform } from './platform.ts';
import { backoffMs } from './retries.ts';

/**
 * Rejects work while the engine does not respond, so that clients fail fast instead of after a timeout. While it is open, it
 * rejects everything until a probe succeeds, so no client request serves as a probe. A probe that hangs delays the next one only
 * for a while, and closes the circuit if it succeeds after all, for example when a frozen server resumes.
 */
export function circuitBreaker(
  engine: Pick<BatchEngine<never, never>, 'probe' | 'hasCircuitBreaker'>,
  { Misconfigured, Unavailable, Unsafe }: ErrorClasses,
  events: Pick<GroupCommitEvents, 'circuit'>,
  { now, after }: Platform,
) {
  let failure: Error | undefined;
  let probeInFlight: { readonly result: Promise<void>; readonly since: number } | undefined;
  let isProbing = false;
  let isEnded = engine.hasCircuitBreaker === false;
  if (!isEnded) events.circuit?.('closed');
  const pause = (ms: number) => new Promise<void>((resolve) => after(ms, resolve));

  async function probeUntilClosed(): Promise<void> {
    isProbing = true;
    for (let attempt = 0; failure !== undefined; attempt += 1) {
      await pause(backoffMs(attempt, FIRST_PROBE_PAUSE_MS, MAX_PROBE_PAUSE_MS));
      if (failure !== undefined)
        await Promise.race([breaker.probe().then(breaker.close, () => {}), pause(MAX_PROBE_PAUSE_MS)]);
    }
    isProbing = false;
  }

  const breaker = {
    /** The number of successes so far. */
    successes: 0,
    /** The error for new work; undefined while the circuit is closed. */
    get rejection(): Error | undefined {
      if (failure === undefined) return undefined;
      const Rejection = isOf(Misconfigured, failure) ? Misconfigured : Unavailable;
      return new Rejection(`${failure.message} (circuit breaker open)`);
    },
    /**
     * Opens the circuit if the engine is unsafe. Other work may succeed, but it could be lost. Opens it as well if the engine did
     * not respond, unless other work has succeeded since this work started. In that case only this work is stuck.
     *
     * @param successesBefore the value of `successes` when the work started; undefined if only unsafe engines matter.
     */
    failed(error: unknown, successesBefore?: number): void {
      const isDown = isOf(Unavailable, error) && breaker.successes === successesBefore;
      // Work that timed out may fail after the end.
      if (isEnded || !(isDown || isOf(Unsafe, error))) return;
      if (failure === undefined) events.circuit?.('open');
      failure = error as Error;
      // A running loop picks up this failure after its probe.
      if (!isProbing) void probeUntilClosed();
    },
    /** Closes the circuit, because the engine has responded. */
    close(): void {
      if (failure !== undefined) events.circuit?.('closed');
      failure = undefined;
    },
    /** Closes the circuit permanently and stops probing. */
    end(): void {
      isEnded = true;
      breaker.close();
    },
    /**
     * Probes the engine, or joins the probe in flight: each probe of a hanging engine holds a connection, and the number of checks
     * is not limited.
     */
    probe(): Promise<void> {
      if (probeInFlight && now() - probeInFlight.since < HANGING_PROBE_MS) return probeInFlight.result;
      const own = { result: (async () => engine.probe())(), since: now() };
      const forget = () => {
        if (probeInFlight === own) probeInFlight = undefined;
      };
      own.result.then(forget, forget);
      probeInFlight = own;
      return own.result;
    },
  };
  return breaker;
}

/** 50 ms: a short interruption costs little more than its own time. */
const FIRST_PROBE_PAUSE_MS = 50;

/** 500 ms: the circuit closes within half a second after the server is back. */
const MAX_PROBE_PAUSE_MS = 500;

/**
 * 5 s: a hanging probe holds a connection until the server responds or the connection is closed, after 30 s at most. One probe
 * every 5 s does not exhaust ten connections in that time.
 */
const HANGING_PROBE_MS = 5_000;
