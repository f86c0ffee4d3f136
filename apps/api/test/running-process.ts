import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';

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
