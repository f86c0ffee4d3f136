import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { leftProcesses, RUN } from './left-processes.ts';

/**
 * Adds to the runner's own summary what it does not say: why tests were skipped. Processes
 * that are left after the run fail it, and so does a warning of its own process, in which servers are started.
 */
export class RunReport implements Reporter {
  #print: (text: string) => void = () => {};

  onInit(vitest: Vitest): void {
    this.#print = (text) => vitest.logger.log(text);
    let warned = false;
    process.on('warning', () => {
      warned = true;
    });
    // The last that a run does: shared servers have been stopped, and workers have ended.
    vitest.onClose(async () => {
      if (warned) process.exitCode = 1;
      await failIfProcessesAreLeft((text) => vitest.logger.error(text));
    });
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const [reason, count] of skipped(modules)) this.#print(line('Skipped', `${count} ${reason}`));
  }
}

/** Counts by reason, the most frequent first. */
function skipped(modules: readonly TestModule[]): [reason: string, count: number][] {
  const counts = new Map<string, number>();
  for (const module of modules) {
    for (const test of module.children.allTests('skipped')) {
      const result = test.result();
      // Without a note: not selected with -t.
      if (result.state === 'skipped' && result.note) counts.set(result.note, (counts.get(result.note) ?? 0) + 1);
    }
  }
  return [...counts].sort(([, a], [, b]) => b - a);
}

async function failIfProcessesAreLeft(print: (text: string) => void): Promise<void> {
  const left = await leftProcesses(process.env[RUN] ?? '');
  if (left.length === 0) return;
  process.exitCode = 1;
  print('Processes were left behind, and are ended now; the test that starts one has to end it:');
  for (const { pid, command } of left) {
    print(`  ${pid} ${command}`);
    process.kill(pid, 'SIGKILL');
  }
}

/** As the runner's summary is laid out. */
const line = (title: string, text: string): string => `${title.padStart(11)}  ${text}`;
