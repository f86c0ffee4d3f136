import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/**
 * Stops a process and its children with SIGSTOP, the parent first, so that it starts no others. Resolves once all have stopped.
 *
 * @returns their process ids, the parent first.
 */
export async function freezeProcesses(parent: number): Promise<readonly number[]> {
  await freeze([parent]);
  // Containers may lack `pgrep`, and macOS has no such list.
  const list = `/proc/${parent}/task/${parent}/children`;
  const children = existsSync(list) ? readFileSync(list, 'utf8') : output('pgrep', '-P', String(parent));
  const frozen = [parent, ...children.split(/\s+/).filter(Boolean).map(Number)];
  await freeze(frozen.slice(1));
  return frozen;
}

/** Resumes processes with SIGCONT, the parent last, because it could end its children. */
export function thawProcesses(frozen: readonly number[]): void {
  for (const pid of frozen.toReversed()) process.kill(pid, 'SIGCONT');
}

/** Waits until the processes have stopped. A process may run for a moment after the signal, so a server might still respond. */
async function freeze(pids: readonly number[]): Promise<void> {
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  for (const deadline = Date.now() + FREEZE_MS; !pids.every(isFrozen); await setTimeout(1))
    if (Date.now() > deadline) throw new Error(`not all of the processes ${pids} stopped within ${FREEZE_MS} ms`);
}

/** Stopping takes a millisecond, unless the process waits for a disk. */
const FREEZE_MS = 10_000;

/** Whether all threads have stopped (T, or t under a debugger) or ended (Z, X). */
function isFrozen(pid: number): boolean {
  const threads = `/proc/${pid}/task`;
  const states = existsSync('/proc/self/task')
    ? // The state follows the name of the command in parentheses.
      readdirSync(threads).map((thread) => /.*\) (\S)/s.exec(textOf(`${threads}/${thread}/stat`))?.[1] ?? 'X')
    : [output('ps', '-o', 'state=', '-p', String(pid)).trim().slice(0, 1)];
  return states.every((state) => 'TtZX'.includes(state));
}

/** Reads a file; empty if the thread has ended meanwhile. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function output(program: string, ...parameters: readonly string[]): string {
  return spawnSync(program, parameters, { encoding: 'utf8' }).stdout;
}
