import type { Platform } from '../src/platform.ts';

/** A platform with a virtual clock. */
export function virtualPlatform() {
  let time = 0;
  const timers: { at: number; callback: () => void }[] = [];
  const deferred: (() => void)[] = [];

  function after(ms: number, callback: () => void): () => void {
    const timer = { at: time + ms, callback };
    timers.splice(timers.findLastIndex((other) => other.at <= timer.at) + 1, 0, timer);
    return () => void (timers.includes(timer) && timers.splice(timers.indexOf(timer), 1));
  }

  /** Runs the deferred callbacks, as a turn of the event loop does. */
  async function turn(): Promise<void> {
    for (const callback of deferred.splice(0)) callback();
    await flushPromises();
    if (deferred.length === 0) return;
    // Time passes if callbacks keep deferring.
    const end = time + TURN_MS;
    while (isDue(end)) await fireNext();
    time = end;
  }

  const isDue = (by: number) => timers[0] !== undefined && timers[0].at <= by;

  async function fireNext(): Promise<void> {
    const next = timers.shift();
    if (!next) return;
    time = Math.max(time, next.at);
    next.callback();
    await flushPromises();
  }

  /** Runs the next timer or deferred callback. Resolves with false if there is none. */
  async function step(): Promise<boolean> {
    if (deferred.length + timers.length === 0) return false;
    await (deferred.length > 0 && !isDue(time) ? turn() : fireNext());
    return true;
  }

  /** Advances the clock by `ms` milliseconds, and runs everything that is due by then in its order. */
  async function advance(ms: number): Promise<void> {
    const end = time + ms;
    await flushPromises();
    while (deferred.length > 0 ? time <= end : isDue(end)) await step();
    time = Math.max(time, end);
  }

  const platform: Platform = { now: () => time, after, defer: (callback) => void deferred.push(callback) };
  const sleep = (ms: number) => new Promise<void>((resolve) => void after(ms, resolve));
  return { platform, sleep, timers, step, advance };
}

const TURN_MS = 0.05;

/** Resolves after all pending promise reactions, which run before immediates. */
export function flushPromises(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
