import { closeSync, fdatasyncSync, openSync, statfsSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';

/** The machine on which the figures were measured. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly system: string;
  readonly node: string;
  /** The stores, with their versions and the settings for the durability of commits. */
  readonly stores: readonly string[];
  /** Time to sync 8 KiB to the disk, in milliseconds: the lower bound of a commit. */
  readonly diskSync: { readonly p50: number; readonly p99: number; readonly inMemory: boolean };
  /** One-minute load average before the first measurement. */
  readonly loadBefore: number;
}

export function describeMachine(directory: string, stores: readonly string[]): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    system: `${type()} ${release()}`,
    node: process.version,
    stores,
    diskSync: probeDisk(directory),
    loadBefore: loadavg()[0] ?? 0,
  };
}

const PROBES = 200;
const TMPFS_MAGIC = 0x01021994;

function probeDisk(directory: string): Machine['diskSync'] {
  const file = openSync(join(directory, 'sync-probe'), 'w');
  const page = Buffer.alloc(8_192, 1);
  try {
    const times = Array.from({ length: PROBES }, () => {
      const start = performance.now();
      writeSync(file, page, 0, page.length, 0);
      fdatasyncSync(file);
      return performance.now() - start;
    }).sort((one, other) => one - other);
    return {
      p50: times[PROBES / 2] ?? 0,
      p99: times[Math.floor(PROBES * 0.99)] ?? 0,
      inMemory: statfsSync(directory).type === TMPFS_MAGIC,
    };
  } finally {
    closeSync(file);
  }
}
