import cluster from 'node:cluster';

/** User and system time of all threads of a process since its start, in seconds, and its resident memory, in bytes. */
export interface Usage {
  readonly cpuSeconds: number;
  readonly rss: number;
}

// Loaded into every measured server (`--import`): a process knows its own usage on every system. Its workers send messages
// only to it.
if (!cluster.isWorker) {
  process.on('message', () => {
    const { userCPUTime, systemCPUTime } = process.resourceUsage();
    const usage: Usage = { cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, rss: process.memoryUsage.rss() };
    process.send?.(usage);
  });
  // The benchmark has exited, so this server must not stay behind.
  process.on('disconnect', () => process.exit());
  process.channel?.unref();
}
