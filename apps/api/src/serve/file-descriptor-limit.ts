import type { Config } from '../config/index.ts';

/**
 * Files that a process opens beside its clients' connections and those to its store: Node's own, the listeners, SQLite's files,
 * probes. About 30 when idle; the rest is headroom.
 */
const OTHER_FILES = 100;

/**
 * Warns if the limit of open files is too low for the configuration: further connections would be dropped silently.
 *
 * @param storeConnections are the most that each process has.
 */
export function warnOfOpenFiles(
  { maxConnections, admin, adminMaxConnections }: Config,
  storeConnections: number,
  warn: (message: string) => void,
): void {
  const needed = maxConnections + (admin ? adminMaxConnections : 0) + storeConnections + OTHER_FILES;
  const limit = openFilesLimit();
  if (limit >= needed) return;
  warn(
    `the limit of open files is ${limit}, but MAX_CONNECTIONS=${maxConnections} needs ${needed}: raise the limit ` +
      '(ulimit -n, LimitNOFILE, docker run --ulimit nofile) or lower MAX_CONNECTIONS',
  );
}

/** The limit in effect: at startup, Node raises the soft limit to the hard one. Infinity if there is none. */
function openFilesLimit(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files: { soft: number | 'unlimited' } } };
  const soft = userLimits?.open_files.soft;
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}
