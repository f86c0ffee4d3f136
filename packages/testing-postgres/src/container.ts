import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_CONNECTIONS } from './postmaster.ts';
import type { StartedServer } from './started-server.ts';

const DEFAULT_IMAGE = 'postgres:18-alpine';

/** A running engine responds in milliseconds; an unreachable one must not delay the tests. */
const PROBE_TIMEOUT_MS = 2_000;

/**
 * Starts PostgreSQL in a container, or returns why it cannot. Ryuk, or `stop`, removes the container.
 *
 * @param image with the variables of Docker's official `postgres` images.
 */
export async function startContainer(
  image: string = DEFAULT_IMAGE,
): Promise<StartedServer | { readonly unavailable: string }> {
  if (!(await isEngineReachable())) return { unavailable: 'no Docker engine answered' };
  try {
    const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
    const container = await new PostgreSqlContainer(image)
      .withCommand(['postgres', '-c', `max_connections=${MAX_CONNECTIONS}`, '-c', 'fsync=off'])
      .start();
    const stop = async () => void (await container.stop());
    return { url: container.getConnectionUri(), description: `a container of ${image}`, stop };
  } catch (error) {
    return {
      unavailable: `Docker started no container of ${image}: ${error instanceof Error ? error.message : error}`,
    };
  }
}

async function isEngineReachable(): Promise<boolean> {
  const { getContainerRuntimeClient } = await import('testcontainers');
  const reached = getContainerRuntimeClient().then(
    () => true,
    () => false,
  );
  return Promise.race([reached, sleep(PROBE_TIMEOUT_MS, false, { ref: false })]);
}
