import type { BatchEngine } from './batch-engine.ts';
import { type ErrorClasses, isOf } from './errors.ts';
import type { GroupCommitEvents } from './events.ts';
import type { Platform } from './platform.ts';
import { backoffMs } from './retries.ts';

/**
 * Rejects work while the engine does not respond, so that clients fail fast instead of after a timeout. While it is open, it
 * rejects everything until a probe succeeds, so no client request serves as a probe.
 */
export class CircuitBreaker {
  /** The number of successes so far. */
  successes = 0;
  #failure: Error | undefined;
  #isProbing = false;
  #isEnded: boolean;
  #probeInFlight: { readonly result: Promise<void>; readonly since: number } | undefined;
  readonly #engine: Probed;
  readonly #errors: ErrorClasses;
  readonly #events: Pick<GroupCommitEvents, 'circuit'>;
  readonly #platform: Platform;

  constructor(engine: Probed, errors: ErrorClasses, events: Pick<GroupCommitEvents, 'circuit'>, platform: Platform) {
    this.#isEnded = engine.hasCircuitBreaker === false;
    this.#engine = engine;
    this.#errors = errors;
    this.#events = events;
    this.#platform = platform;
    if (!this.#isEnded) events.circuit?.('closed');
  }

  /** The error for new work; undefined while the circuit is closed. */
  get rejection(): Error | undefined {
    if (this.#failure === undefined) return undefined;
    const { Misconfigured, Unavailable } = this.#errors;
    const Rejection = isOf(Misconfigured, this.#failure) ? Misconfigured : Unavailable;
    return new Rejection(`${this.#failure.message} (circuit breaker open)`);
  }

  /**
   * Opens the circuit if the engine is unsafe. Other work may succeed, but it could be lost. Opens it as well if the engine did not
   * respond, unless other work has succeeded since this work started. In that case only this work is stuck.
   *
   * @param successesBefore the value of {@link successes} when the work started; undefined if only unsafe engines matter.
   */
  failed(error: unknown, successesBefore?: number): void {
    const { Unavailable, Unsafe } = this.#errors;
    const isDown = isOf(Unavailable, error) && this.successes === successesBefore;
    // Work that timed out may fail after the end.
    if (this.#isEnded || !(isDown || isOf(Unsafe, error))) return;
    if (this.#failure === undefined) this.#events.circuit?.('open');
    this.#failure = error as Error;
    // A running loop picks up this failure after its probe.
    if (!this.#isProbing) void this.#probeUntilClosed();
  }

  /** Closes the circuit, because the engine has responded. */
  close(): void {
    if (this.#failure !== undefined) this.#events.circuit?.('closed');
    this.#failure = undefined;
  }

  /** Closes the circuit permanently and stops probing. */
  end(): void {
    this.#isEnded = true;
    this.close();
  }

  /**
   * Checks the engine, or joins the check in flight: each probe of a hanging engine holds a connection, and the number of checks
   * is not limited.
   */
  probe(): Promise<void> {
    const now = this.#platform.now();
    if (this.#probeInFlight && now - this.#probeInFlight.since < HANGING_PROBE_MS) return this.#probeInFlight.result;
    const own = { result: (async () => this.#engine.probe())(), since: now };
    const end = () => {
      if (this.#probeInFlight === own) this.#probeInFlight = undefined;
    };
    own.result.then(end, end);
    this.#probeInFlight = own;
    return own.result;
  }

  /**
   * A probe that hangs delays the next one only for a while, and closes the circuit if it succeeds after all, for example when a
   * frozen server resumes.
   */
  async #probeUntilClosed(): Promise<void> {
    const pause = (ms: number) => new Promise<void>((resolve) => this.#platform.after(ms, resolve));
    const probed = () =>
      this.probe().then(
        () => this.close(),
        () => {},
      );
    this.#isProbing = true;
    for (let attempt = 0; this.#failure !== undefined; attempt += 1) {
      await pause(backoffMs(attempt, FIRST_PROBE_PAUSE_MS, MAX_PROBE_PAUSE_MS));
      if (this.#failure !== undefined) await Promise.race([probed(), pause(MAX_PROBE_PAUSE_MS)]);
    }
    this.#isProbing = false;
  }
}

type Probed = Pick<BatchEngine<never, never>, 'probe' | 'hasCircuitBreaker'>;

/** 50 ms: a short interruption costs little more than its own time. */
const FIRST_PROBE_PAUSE_MS = 50;

/** 500 ms: the circuit closes within half a second after the server is back. */
const MAX_PROBE_PAUSE_MS = 500;

/**
 * 5 s: a hanging probe holds a connection until the server responds or the connection is closed, after 30 s at most. One probe
 * every 5 s does not exhaust ten connections in that time.
 */
const HANGING_PROBE_MS = 5_000;
