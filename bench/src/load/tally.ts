import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import type { LoadResult, Percentiles } from './load.ts';

/** Counts the outcomes of the requests of a load. */
export interface Tally {
  sent(isNew: boolean, dueAt: number, sentAt: number): void;
  completed(status: number, isNew: boolean, bodyIsRight: boolean, dueAt: number, now: number): void;
  lost(isNew: boolean): void;
  /** The time is up; later responses are counted, but not as completed in time. */
  over(now: number): void;
  result(): LoadResult;
}

/** The histograms are Node's HdrHistogram in C: three significant digits, every sample recorded. */
export function tally(start: number): Tally {
  const outcomes: Record<string, number> = {};
  const latency = createHistogram();
  const lateness = createHistogram();
  const cpuBefore = process.cpuUsage();
  let [sent, ok, created, unknown, wrongBodies] = [0, 0, 0, 0, 0];
  let inTime: { readonly seconds: number; readonly completed: number } | undefined;

  const count = (outcome: string) => {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  };
  return {
    sent(isNew, dueAt, sentAt) {
      if (isNew) sent += 1;
      record(lateness, sentAt - dueAt);
    },
    completed(status, isNew, bodyIsRight, dueAt, now) {
      count(String(status));
      record(latency, now - dueAt);
      if (isNew && status >= 500) unknown += 1;
      if (status !== 200) return;
      ok += 1;
      if (isNew) created += 1;
      if (!bodyIsRight) wrongBodies += 1;
    },
    lost(isNew) {
      count('lost');
      if (isNew) unknown += 1;
    },
    over(now) {
      inTime ??= { seconds: (now - start) / 1_000, completed: ok };
    },
    result() {
      const { user, system } = process.cpuUsage(cpuBefore);
      return {
        seconds: inTime?.seconds ?? 0,
        completedInTime: inTime?.completed ?? 0,
        outcomes,
        sent,
        created,
        unknown,
        wrongBodies,
        latency: percentiles(latency),
        lateness: percentiles(lateness),
        generatorCpuSeconds: (user + system) / 1e6,
      };
    },
  };
}

/** In microseconds, at least 1: the histogram does not accept 0. */
function record(histogram: RecordableHistogram, ms: number): void {
  histogram.record(Math.max(1, Math.round(ms * 1_000)));
}

function percentiles(histogram: RecordableHistogram): Percentiles {
  const at = (percentile: number) => histogram.percentile(percentile) / 1_000;
  return { p50: at(50), p99: at(99), p999: at(99.9), max: histogram.max / 1_000 };
}
