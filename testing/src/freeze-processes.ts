import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/**
 * Stops a process and its children with SIGSTOP: the parent first, so that it starts no others. Resolves once none of them
 * runs any more.
 *
 * @returns all of them, the parent first.
 */
export async function freezeProcesses(parent: number): Promise<readonly number[]> {
  await freeze([parent]);
  // A container may have no `ps`, and a kernel no such list.
  const list = `/proc/${parent}/task/${parent}/children`;
  const children = existsSync(list) ? readFileSync(list, 'utf8') : output('pgrep', '-P', String(parent));
  const frozen = [parent, ...children.split(/\s+/).filter(Boolean).map(Number)];
  await freeze(frozen.slice(1));
  return frozen;
}

/** Resumes them with SIGCONT: the parent last, so that none has exited before its turn. */
export function thawProcesses(frozen: readonly number[]): void {
  for (const pid of frozen.toReversed()) process.kill(pid, 'SIGCONT');
}

/** A process that is sent the signal may run on for a moment, on another core: a server may still answer. */
async function freeze(pids: readonly number[]): Promise<void> {
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  for (const deadline = Date.now() + FREEZE_MS; !pids.every(isFrozen); await setTimeout(1))
    if (Date.now() > deadline) throw new Error(`not all of the processes ${pids} stopped within ${FREEZE_MS} ms`);
}

/** Stopping takes a millisecond; what is in a system call that cannot be interrupted waits for its disk. */
const FREEZE_MS = 10_000;

/** Whether each of its threads is stopped, by a debugger (t) if there is one, or has ended: its parent does not wait for it. */
function isFrozen(pid: number): boolean {
  const threads = `/proc/${pid}/task`;
  const states = existsSync('/proc/self/task')
    ? // What follows the command's name, which is in parentheses.
      readdirSync(threads).map((thread) => /.*\) (\S)/s.exec(textOf(`${threads}/${thread}/stat`))?.[1] ?? 'X')
    : [output('ps', '-o', 'state=', '-p', String(pid)).trim().slice(0, 1)];
  return states.every((state) => 'TtZX'.includes(state));
}

/** Empty if the thread has ended since it was listed. */
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
