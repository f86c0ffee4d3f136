import type { Config } from '../config/config.ts';

/**
 * What a process has open beside its callers' connections and a pool that the operator has sized: Node's own files, the
 * listeners, SQLite's files or a pool of the default size, probes. Idle it is about 30; the rest is room.
 */
const OTHER_FILES = 100;

/** Warns where fewer files may be open than the configuration needs: connections beyond are closed without a word. */
export function warnOfOpenFiles(
  { maxConnections, databaseLimits: { poolSize = 0 } }: Config,
  warn: (message: string) => void,
): void {
  const needed = maxConnections + poolSize + OTHER_FILES;
  const limit = openFilesLimit();
  if (limit >= needed) return;
  warn(
    `a process may have ${limit} files open, and with MAX_CONNECTIONS=${maxConnections} it needs ${needed}: raise the limit ` +
      '(ulimit -n, LimitNOFILE, docker run --ulimit nofile) or lower MAX_CONNECTIONS',
  );
}

/** The limit in effect: at its start Node raises the soft one to the hard one. Infinity where there is none. */
function openFilesLimit(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files: { soft: number | 'unlimited' } } };
  const soft = userLimits?.open_files.soft;
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}
