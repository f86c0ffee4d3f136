import type { Platform } from '../src/platform.ts';

/** A platform whose time passes when it is told to. */
export interface VirtualPlatform {
  readonly platform: Platform;
  readonly timers: readonly unknown[];
  readonly deferred: readonly unknown[];
  /** The input that has arrived was looked at. */
  turn(): Promise<void>;
  /** So many milliseconds pass, and everything happens that falls into them, in its order. */
  pass(ms: number): Promise<void>;
  /** What comes next happens: what was deferred, or else the next timer. Resolves with false if there is nothing. */
  step(): Promise<boolean>;
}

export function virtualPlatform(): VirtualPlatform {
  let time = 0;
  const timers: { at: number; callback: () => void }[] = [];
  const deferred: (() => void)[] = [];
  function after(ms: number, callback: () => void): () => void {
    const timer = { at: time + ms, callback };
    const { at } = timer;
    const place = timers.findIndex((other) => other.at > at);
    timers.splice(place === -1 ? timers.length : place, 0, timer);
    return () => void (timers.includes(timer) && timers.splice(timers.indexOf(timer), 1));
  }
  async function turn(): Promise<void> {
    for (const callback of deferred.splice(0)) callback();
    await settled();
    // Whoever asks for turn after turn waits for the time to pass.
    if (deferred.length > 0) await ringUntil(time + TURN_MS);
  }
  async function ringUntil(end: number): Promise<void> {
    for (let next = timers[0]; next && next.at <= end; next = timers[0]) await ring();
    time = Math.max(time, end);
  }
  async function ring(): Promise<void> {
    const next = timers.shift();
    if (!next) return;
    time = Math.max(time, next.at);
    next.callback();
    await settled();
  }
  return {
    platform: {
      now: () => time,
      after,
      sleep: (ms) => new Promise((resolve) => void after(ms, resolve)),
      defer: (callback) => void deferred.push(callback),
    },
    timers,
    deferred,
    turn,
    async pass(ms) {
      const end = time + ms;
      while (deferred.length > 0 && time < end) await turn();
      await ringUntil(end);
    },
    async step() {
      if (deferred.length + timers.length === 0) return false;
      await (deferred.length > 0 ? turn() : ring());
      return true;
    },
  };
}

const TURN_MS = 0.05;

/** Promises settle before immediates run, all of them. */
export function settled(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
