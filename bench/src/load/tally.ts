import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import type { LoadResult, Percentiles } from './load.ts';

/** Counts the outcomes of the requests of a load. */
export interface Tally {
  sent(dueAt: number, sentAt: number): void;
  completed(status: number, bodyIsRight: boolean, dueAt: number, now: number): void;
  lost(): void;
  /** The time is up; later responses are counted, but not as completed in time. */
  over(now: number): void;
  result(): LoadResult;
}

/** The histograms are Node's HdrHistogram in C: three significant digits, every sample recorded. */
export function tally(start: number): Tally {
  const outcomes: Record<string, number> = {};
  const latency = createHistogram();
  const lateness = createHistogram();
  let [sent, created, unknown, wrongBodies] = [0, 0, 0, 0];
  let inTime: Pick<LoadResult, 'seconds' | 'completedInTime'> | undefined;

  function count(outcome: string): void {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  return {
    sent(dueAt, sentAt) {
      sent += 1;
      record(lateness, sentAt - dueAt);
    },
    completed(status, bodyIsRight, dueAt, now) {
      count(String(status));
      record(latency, now - dueAt);
      if (status >= 500) unknown += 1;
      if (status !== 200) return;
      created += 1;
      if (!bodyIsRight) wrongBodies += 1;
    },
    lost() {
      count('lost');
      unknown += 1;
    },
    over(now) {
      inTime ??= { seconds: (now - start) / 1_000, completedInTime: created };
    },
    result: () => ({
      ...(inTime ?? { seconds: 0, completedInTime: 0 }),
      outcomes,
      sent,
      created,
      unknown,
      wrongBodies,
      latency: percentiles(latency),
      lateness: percentiles(lateness),
    }),
  };
}

/** In microseconds, at least 1: the histogram does not accept 0. */
function record(histogram: RecordableHistogram, ms: number): void {
  histogram.record(Math.max(1, Math.round(ms * 1_000)));
}

function percentiles(histogram: RecordableHistogram): Percentiles {
  return { p50: histogram.percentile(50) / 1_000, p99: histogram.percentile(99) / 1_000 };
}
