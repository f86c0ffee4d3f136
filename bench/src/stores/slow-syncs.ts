import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Makes the syncs of the processes that preload it take longer, as those of cloud volumes and synchronous standbys do. */
export interface SlowSyncs {
  /** The environment of a process that preloads it. */
  readonly environment: { readonly LD_PRELOAD: string };
  /** From now on, each sync takes this many milliseconds more. */
  set(ms: number): void;
}

/** Compiles the library in the directory, which every user must be able to read; a text says why it cannot. */
export function slowSyncs(directory: string): SlowSyncs | string {
  if (process.platform !== 'linux') return 'syncs can be made slower on Linux alone';
  const [library, delay] = [join(directory, 'slow-syncs.so'), join(directory, 'sync-delay')];
  const source = join(import.meta.dirname, 'slow-syncs.c');
  const options = ['-shared', '-fPIC', '-O2', `-DDELAY_FILE="${delay}"`, '-o', library, source, '-ldl'];
  const { error, stderr } = spawnSync('cc', options, { encoding: 'utf8' });
  if (error) return 'syncs cannot be made slower: there is no cc';
  if (stderr) return `syncs cannot be made slower: ${stderr.trim()}`;
  const set = (ms: number) => writeFileSync(delay, String(Math.round(ms * 1_000)));
  set(0);
  return { environment: { LD_PRELOAD: library }, set };
}
