import { globSync, readFileSync } from 'node:fs';

/**
 * Returns a function that returns the CPU time in microseconds that a process and its children have used since the last call. NaN
 * if there is no such process, or this is not Linux.
 */
export function cpuMeter(pid: number | undefined): () => number {
  let before = new Map<string, number>();
  return () => {
    const now = new Map<string, number>();
    for (const thread of globSync('/proc/[0-9]*/task/[0-9]*')) {
      try {
        const parent = /\) \S (\d+)/.exec(readFileSync(`${thread}/stat`, 'latin1'))?.[1];
        if (parent !== `${pid}` && !thread.startsWith(`/proc/${pid}/`)) continue;
        now.set(thread, Number.parseInt(readFileSync(`${thread}/schedstat`, 'latin1'), 10) / 1_000);
      } catch {
        // The thread has ended.
      }
    }
    const used = [...now].reduce((sum, [thread, time]) => sum + time - (before.get(thread) ?? 0), 0);
    before = now;
    return now.size === 0 ? Number.NaN : used;
  };
}
