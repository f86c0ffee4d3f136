import { spawnSync } from 'node:child_process';
import { fdatasyncSync, openSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';

/** Describes the commit, the machine, the databases, their disk and the run as a Markdown list. */
export function describeRun(directory: string, postgres: string, turns: string, syncDelay: number): string {
  const commit = spawnSync('git', ['describe', '--always', '--dirty', '--exclude=*'], { encoding: 'utf8' });
  const cores = availableParallelism();
  const [busy = 0] = loadavg();
  return [
    `- Commit ${commit.stdout?.trim() || 'unknown'}, Node ${process.version}`,
    `- ${postgres}; SQLite ${process.versions['sqlite']}, WAL, synchronous=FULL`,
    `- ${cores} × ${cpus()[0]?.model}, ${(totalmem() / 1e9).toFixed(0)} GB, ${type()} ${release()}`,
    `- Load average before the run ${busy.toFixed(1)}${busy > cores / 2 ? ': **other work used the machine**' : ''}`,
    `- A sync of 8 KiB takes ${syncMs(directory).toFixed(2)} ms, and in the databases ${syncDelay} ms more`,
    `- Medians of ${turns}; latency counts from when a request was due`,
    '- CPU time a request, of all processes of the contestant and of the database server',
  ].join('\n');
}

/** The mean time of a sync in milliseconds. Almost 0 if the directory is in memory. */
function syncMs(directory: string): number {
  const file = openSync(join(directory, 'sync-probe'), 'w');
  const start = performance.now();
  for (let sync = 0; sync < 200; sync += 1) {
    writeSync(file, Buffer.alloc(8_192, 1), 0, 8_192, 0);
    fdatasyncSync(file);
  }
  return (performance.now() - start) / 200;
}
