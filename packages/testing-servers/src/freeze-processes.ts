import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/**
 * Stops a process and its children with SIGSTOP: the parent first, so that it starts no others.
 *
 * @returns all of them, the parent first.
 */
export function freezeProcesses(parent: number): readonly number[] {
  process.kill(parent, 'SIGSTOP');
  const frozen = [parent];
  for (;;) {
    const found = childrenOf(parent).filter((pid) => !frozen.includes(pid));
    for (const pid of found) process.kill(pid, 'SIGSTOP');
    frozen.push(...found);
    // Until there is no new one: the parent may have been starting it.
    if (found.length === 0) return frozen;
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
