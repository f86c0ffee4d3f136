import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Every process that a run of the tests starts has the name of the run in this variable of its environment. */
export const RUN = 'PLANT_STORE_TEST_RUN';

/** A process, and what was started. */
export interface LeftProcess {
  readonly pid: number;
  readonly command: string;
}

/**
 * The processes that a run has started and that are still there after the time that ending takes on a busy machine. Only
 * Linux says what environment a process has: elsewhere none is found.
 *
 * @param run as in {@link RUN}; runs that it has started are named `<run>/…` and are part of it.
 */
export async function leftProcesses(run: string, withinMs = 30_000): Promise<readonly LeftProcess[]> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const left = processesOf(run);
    if (left.length === 0 || performance.now() > giveUpAt) return left;
    await sleep(20);
  }
}

function processesOf(run: string): readonly LeftProcess[] {
  const mark = `${RUN}=${run}`;
  return numbersIn('/proc').flatMap((pid) => {
    try {
      const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      if (!variables.some((each) => each === mark || each.startsWith(`${mark}/`))) return [];
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      return [{ pid, command }];
    } catch {
      // It has ended meanwhile, or belongs to another user.
      return [];
    }
  });
}

function numbersIn(directory: string): number[] {
  try {
    return readdirSync(directory)
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}
