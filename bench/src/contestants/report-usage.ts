import cluster from 'node:cluster';

/** Resources that a process has used since its start. */
export interface Usage {
  /** User and system time of all its threads. */
  readonly cpuSeconds: number;
  /** Resident memory and its peak, in bytes. */
  readonly rss: number;
  readonly peakRss: number;
}

// Loaded into every measured server (`--import`): a process knows its own usage on every system. Its workers send messages
// only to it.
if (!cluster.isWorker) {
  process.on('message', (message) => {
    if (message === 'usage') process.send?.(usage());
  });
  // The benchmark has exited, so this server must not stay behind.
  process.on('disconnect', () => process.exit());
  process.channel?.unref();
}

function usage(): Usage {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  return {
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
    rss: process.memoryUsage.rss(),
    peakRss: maxRSS * 1024,
  };
}
