import { setTimeout as sleep } from 'node:timers/promises';
import type { GenericContainer, Wait } from 'testcontainers';

/** A server that is ready, before its version is known. */
export interface StartedServer {
  readonly url: string;
  /** Which server it is, for people. */
  readonly description: string;
  /** Removes what the run made: the server itself, or its databases on a given server. */
  stop(): Promise<void>;
}

/** How an engine's server runs in a container. */
export interface ServerContainer {
  readonly port: number;
  /** Sets its variables, its command, and when it is ready. */
  prepare(container: GenericContainer, wait: typeof Wait): GenericContainer;
  urlAt(host: string): string;
}

/** A running engine responds in milliseconds; an unreachable one must not delay the tests. */
const PROBE_TIMEOUT_MS = 2_000;

/** Starts a server in a container, or returns why it cannot. Ryuk, or `stop`, removes the container. */
export async function startContainer(
  image: string,
  { port, prepare, urlAt }: ServerContainer,
): Promise<StartedServer | { readonly unavailable: string }> {
  const { GenericContainer, getContainerRuntimeClient, Wait } = await import('testcontainers');
  const reached = getContainerRuntimeClient().then(
    () => true,
    () => false,
  );
  if (!(await Promise.race([reached, sleep(PROBE_TIMEOUT_MS, false, { ref: false })])))
    return { unavailable: 'no Docker engine answered' };
  try {
    const container = await prepare(new GenericContainer(image).withExposedPorts(port), Wait).start();
    const url = urlAt(`${container.getHost()}:${container.getMappedPort(port)}`);
    return { url, description: `a container of ${image}`, stop: async () => void (await container.stop()) };
  } catch (error) {
    return {
      unavailable: `Docker started no container of ${image}: ${error instanceof Error ? error.message : error}`,
    };
  }
}
