import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A command in a separate process, and its output. */
export interface RunningProcess {
  readonly process: ChildProcess;
  /** What it has printed so far, standard output and standard error as they came. */
  output(): string;
  /** Resolves with the first match in its output; rejects if it ends without one. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves when it has ended: with its exit code, or with the name of the signal that killed it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/**
 * What every process of a test gets of this environment: where programs are found, where compiled modules are kept, and
 * the run that it belongs to. The compile cache is a separate one: `plant-store` sets a flag of V8, which then rejects what
 * was compiled without it. In a shared one each would compile again what the other has, and write hundreds of files as it
 * exits.
 */
export function environmentOfTheRun(): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE = '', PLANT_STORE_TEST_RUN } = process.env;
  return {
    PATH,
    NODE_COMPILE_CACHE: NODE_COMPILE_CACHE && join(NODE_COMPILE_CACHE, 'plant-store'),
    PLANT_STORE_TEST_RUN,
  };
}

/** Starts a command. */
export function run(command: string, args: readonly string[], options: SpawnOptions): RunningProcess {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  let text = '';
  let wake = () => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      text += chunk;
      wake();
    });
  }
  return {
    process: child,
    output: () => text,
    ended,
    async printed(pattern) {
      for (let running = true; ; ) {
        const more = new Promise<boolean>((resolve) => {
          wake = () => resolve(true);
        });
        const match = pattern.exec(text);
        if (match) return match;
        if (!running) throw new Error(`ended without printing ${pattern}:\n${text}`);
        running = await Promise.race([more, ended.then(() => false)]);
      }
    },
  };
}
