import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/**
 * The environment of a process whose syncs take longer, as on cloud volumes. The library is compiled in the directory, which every
 * user must be able to read.
 *
 * @throws {Error} if there is no cc, or this is not Linux.
 */
export function slowSyncs(directory: string, ms: number): { readonly LD_PRELOAD?: string } {
  if (ms === 0) return {};
  const library = join(directory, 'slow-syncs.so');
  const source = join(import.meta.dirname, 'slow-syncs.c');
  const options = ['-shared', '-fPIC', `-DDELAY_MS=${ms}L`, '-o', library, source, '-ldl'];
  const { status } = spawnSync('cc', options, { stdio: 'ignore' });
  if (process.platform === 'linux' && status === 0) return { LD_PRELOAD: library };
  throw new Error('--sync-delay needs Linux and cc');
}
