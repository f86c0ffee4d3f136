import type { Platform } from '../src/platform.ts';

/** A platform whose time passes when it is told to. */
export function virtualPlatform() {
  let time = 0;
  const timers: { at: number; callback: () => void }[] = [];
  const deferred: (() => void)[] = [];
  function after(ms: number, callback: () => void): () => void {
    const timer = { at: time + ms, callback };
    const { at } = timer;
    timers.splice(timers.findLastIndex((other) => other.at <= at) + 1, 0, timer);
    return () => void (timers.includes(timer) && timers.splice(timers.indexOf(timer), 1));
  }
  /** The input that has arrived was looked at. */
  async function turn(): Promise<void> {
    for (const callback of deferred.splice(0)) callback();
    await settled();
    if (deferred.length === 0) return;
    // Whoever asks for turn after turn waits for the time to pass.
    const end = time + TURN_MS;
    while (isDue(end)) await ring();
    time = end;
  }
  const isDue = (by: number) => timers[0] !== undefined && timers[0].at <= by;
  async function ring(): Promise<void> {
    const next = timers.shift();
    if (!next) return;
    time = Math.max(time, next.at);
    next.callback();
    await settled();
  }
  /** What comes next happens: a timer that is due, what was deferred, or the next timer. Resolves with false if there is nothing. */
  async function step(): Promise<boolean> {
    if (deferred.length + timers.length === 0) return false;
    await (deferred.length > 0 && !isDue(time) ? turn() : ring());
    return true;
  }
  /** So many milliseconds pass, and everything happens that falls into them, in its order. */
  async function pass(ms: number): Promise<void> {
    const end = time + ms;
    while (deferred.length > 0 ? time < end : isDue(end)) await step();
    time = Math.max(time, end);
  }
  const platform: Platform = {
    now: () => time,
    after,
    sleep: (ms) => new Promise((resolve) => void after(ms, resolve)),
    defer: (callback) => void deferred.push(callback),
  };
  return { platform, timers, deferred, turn, pass, step };
}

const TURN_MS = 0.05;

/** Promises settle before immediates run, all of them. */
export function settled(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
