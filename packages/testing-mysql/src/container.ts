import { setTimeout as sleep } from 'node:timers/promises';
import type { StartedServer } from './started-server.ts';

/** A running engine responds in milliseconds; an unreachable one must not delay the tests. */
const PROBE_TIMEOUT_MS = 2_000;

/**
 * Starts MariaDB or MySQL in a container, or returns why it cannot.
 *
 * @param image with the variables of Docker's official `mariadb` or `mysql` images.
 */
export async function startContainer(image: string): Promise<StartedServer | { readonly unavailable: string }> {
  const { GenericContainer, getContainerRuntimeClient, Wait } = await import('testcontainers');
  const reached = getContainerRuntimeClient().then(
    () => true,
    () => false,
  );
  if (!(await Promise.race([reached, sleep(PROBE_TIMEOUT_MS, false, { ref: false })])))
    return { unavailable: 'no Docker engine answered' };
  try {
    const container = await new GenericContainer(image)
      .withEnvironment({ MARIADB_ALLOW_EMPTY_ROOT_PASSWORD: '1', MYSQL_ALLOW_EMPTY_PASSWORD: '1' })
      .withCommand(['--max-connections=300', '--innodb-flush-method=nosync'])
      .withExposedPorts(3306)
      // The first start, which sets it up, listens on port 0.
      .withWaitStrategy(Wait.forLogMessage(/port: 3306\b/))
      .start();
    const url = `mysql://root@${container.getHost()}:${container.getMappedPort(3306)}/mysql`;
    return { url, description: `a container of ${image}`, stop: async () => void (await container.stop()) };
  } catch (error) {
    return {
      unavailable: `Docker started no container of ${image}: ${error instanceof Error ? error.message : error}`,
    };
  }
}
