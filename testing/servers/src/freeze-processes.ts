import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/**
 * Stops a process and its children with SIGSTOP: the parent first, so that it starts no others. Resolves once none of them
 * runs any more.
 *
 * @returns all of them, the parent first.
 */
export async function freezeProcesses(parent: number): Promise<readonly number[]> {
  const frozen = [parent];
  try {
    await freeze(frozen);
    const children = childrenOf(parent);
    frozen.push(...children);
    await freeze(children);
    return frozen;
  } catch (error) {
    thawProcesses(frozen);
    throw error;
  }
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
  return statesOf(pid).every((state) => 'TtZX'.includes(state));
}

function statesOf(pid: number): string[] {
  if (!existsSync('/proc/self/task'))
    return [
      ...execFileSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' })
        .trim()
        .slice(0, 1),
    ];
  const threads = `/proc/${pid}/task`;
  // What follows the command's name, which is in parentheses.
  return readdirSync(threads).map((thread) => /.*\) (\S)/s.exec(textOf(`${threads}/${thread}/stat`))?.[1] ?? 'X');
}

/** Empty if the thread has ended since it was listed. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Resumes them with SIGCONT: the parent last, so that none has exited before its turn. */
export function thawProcesses(frozen: readonly number[]): void {
  for (const pid of frozen.toReversed()) process.kill(pid, 'SIGCONT');
}

/** From the kernel if it lists them: a container may have no `ps`. */
function childrenOf(parent: number): number[] {
  const kernel = `/proc/${parent}/task/${parent}/children`;
  if (existsSync(kernel)) return numbers(readFileSync(kernel, 'utf8'));
  const processes = execFileSync('ps', ['-A', '-o', 'ppid=,pid='], { encoding: 'utf8' });
  return processes.split('\n').flatMap((line) => {
    const [ppid, pid] = numbers(line);
    return ppid === parent && pid !== undefined ? [pid] : [];
  });
}

function numbers(text: string): number[] {
  return text.split(/\s+/).filter(Boolean).map(Number);
}
