import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Measures how long the event loop is held at most, from now on until it is disposed of. */
export class EventLoopWatch {
  readonly #delays = monitorEventLoopDelay({ resolution: 10 });

  constructor() {
    this.#delays.enable();
  }

  get longestMs(): number {
    return Math.round(this.#delays.max / 1e6);
  }

  /** For the end of a message: what holds the event loop makes everything late, and nothing else shows it. */
  get note(): string {
    return this.longestMs > LONG_MS ? `; the event loop was held for up to ${this.longestMs} ms` : '';
  }

  [Symbol.dispose](): void {
    this.#delays.disable();
  }
}

/** Garbage collection and a shared core take less. */
const LONG_MS = 100;
