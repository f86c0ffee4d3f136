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
  await freeze([parent]);
  const children = childrenOf(parent);
  await freeze(children);
  return [parent, ...children];
}

/** A process that is sent the signal may run on for a moment, on another core: a server may still answer. */
async function freeze(pids: readonly number[]): Promise<void> {
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  while (!pids.every(isFrozen)) await setTimeout(1);
}

/** Whether each of its threads is stopped, or has ended: as a zombie of its parent, which is stopped, too. */
function isFrozen(pid: number): boolean {
  const threads = `/proc/${pid}/task`;
  const states = existsSync(threads)
    ? readdirSync(threads).map((thread) => stateIn(`${threads}/${thread}/stat`))
    : [execFileSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' }).trim()[0]];
  return states.every((state) => state === 'T' || state === 'Z');
}

/** What follows the command's name, in parentheses; a thread that has ended since it was listed is as one that ends. */
function stateIn(path: string): string | undefined {
  return existsSync(path) ? /.*\) (\S)/s.exec(readFileSync(path, 'utf8'))?.[1] : 'Z';
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
