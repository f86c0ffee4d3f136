import { readFileSync } from 'node:fs';

/** Samples the resident memory of a process every so many milliseconds; 0 bytes once it has ended. */
export function watchMemory(pid: number | undefined, everyMs: number) {
  const resident = () => {
    try {
      return 1_024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
    } catch {
      return 0;
    }
  };
  const seen = [resident()];
  const look = setInterval(() => seen.push(resident()), everyMs);
  return {
    /** All samples, in bytes. */
    stop(): readonly number[] {
      clearInterval(look);
      return seen;
    },
  };
}
