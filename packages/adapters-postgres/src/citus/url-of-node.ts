import { atHost } from '../driver/connection-string.ts';

/**
 * The connection string of a node, given that of the coordinator; undefined if the node has a name that no URL can have.
 *
 * @param node `host:port`, as the coordinator's catalog has it.
 */
export function urlOfNode(coordinator: string, node: string): string | undefined {
  const [, host, port] = /^([\w./:-]+):(\d+)$/.exec(node) ?? [];
  return host && port ? atHost(coordinator, host, port) : undefined;
}
