import { globSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reporter } from 'vitest/node';

/** In the environment of every process that a run starts, the name of the run. A run that a test starts is part of that run. */
const RUN = 'PLANT_STORE_TEST_RUN';

/**
 * A reporter that fails a run whose own process warns, or that leaves processes behind. Only Linux says what environment a
 * process has.
 *
 * @param endsWithinMs how long a process may take to end on a busy machine.
 */
export function strictRun(endsWithinMs = 30_000): Reporter {
  return {
    onInit(vitest) {
      const run = [process.env[RUN], `${process.pid}.${Date.now()}`].filter(Boolean).join('/');
      process.env[RUN] = run;
      let warned = false;
      process.on('warning', () => {
        warned = true;
      });
      // The last that a run does: shared servers have been stopped, and workers have ended.
      vitest.onClose(async () => {
        const giveUpAt = performance.now() + endsWithinMs;
        while (processesOf(run).length > 0 && performance.now() < giveUpAt) await sleep(20);
        const left = processesOf(run);
        if (warned || left.length > 0) process.exitCode = 1;
        for (const each of left) vitest.logger.error(`The test that started it has to end it: process ${each}`);
      });
    },
  };
}

/** The ids of a run's processes, each with its command. */
function processesOf(run: string): readonly string[] {
  return globSync('/proc/[0-9]*').flatMap((directory) => {
    try {
      const variables = `${readFileSync(`${directory}/environ`)}\0`;
      if (!variables.includes(`${RUN}=${run}\0`) && !variables.includes(`${RUN}=${run}/`)) return [];
      const command = readFileSync(`${directory}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      return [`${directory.slice('/proc/'.length)} ${command}`];
    } catch {
      // It has ended meanwhile, or belongs to another user.
      return [];
    }
  });
}
