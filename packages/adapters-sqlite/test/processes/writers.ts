import { execFileSync } from 'node:child_process';

/** The writers that a process has started and that are still there. */
export function writersOf(parent: number | undefined): readonly number[] {
  const processes = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  return processes.split('\n').flatMap((line) => {
    const [pid, ppid, ...args] = line.trim().split(/\s+/);
    return Number(ppid) === parent && /writer-process\.[jt]s/.test(args.join(' ')) ? [Number(pid)] : [];
  });
}
