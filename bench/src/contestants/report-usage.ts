import cluster from 'node:cluster';

/** What a process has used since it was started. */
export interface Usage {
  /** User and system time of all its threads. */
  readonly cpuSeconds: number;
  /** Resident memory now, and the most so far, in bytes. */
  readonly rss: number;
  readonly peakRss: number;
}

// Loaded into every server that is measured (`--import`): the process knows best, and on every system. Its workers talk
// to it alone.
if (!cluster.isWorker) {
  process.on('message', (message) => {
    if (message === 'usage') process.send?.(usage());
  });
  // Whoever started it is gone: a server that nobody measures must not stay behind.
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
