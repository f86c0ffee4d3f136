import { StoreMisconfigured } from '@plant-store/domain';
import type pg from 'pg';
import type { OnSession } from '../driver/check-session.ts';
import { parseConnectionString } from '../driver/connection-string.ts';
import { type Database, openDatabase } from '../driver/database.ts';
import type { CompleteOptions } from '../options.ts';
import { urlOfNode } from './url-of-node.ts';

/** The connections on which a node's plants are stored. */
export interface NodeDatabase extends Database {
  /** Whether they lead to the node itself, and not to the coordinator. */
  readonly isDirect: boolean;
}

/** @param urlOf is {@link urlOfNode}, unless there is another way to the nodes. */
export function openNodeDatabase(options: CompleteOptions, node: string, urlOf = urlOfNode): NodeDatabase {
  const { toCitusNodes } = parseConnectionString(options.connectionString);
  const connectionString = toCitusNodes ? urlOf(options.connectionString, node) : undefined;
  if (connectionString !== undefined) {
    return { ...openDatabase({ ...options, connectionString }, isNode(node, options.connectWithinMs)), isDirect: true };
  }
  if (toCitusNodes)
    options.onWarning(
      `Citus node ${node} has a name that no URL can have: its plants are stored through the coordinator`,
    );
  return { ...openDatabase(options), isDirect: false };
}

/**
 * Refuses another server: a name such as `localhost` may mean one here, and another one to the coordinator. Plants would be
 * stored where nobody looks for them.
 */
function isNode(node: string, withinMs: number): OnSession {
  return async (client, hasCitus) => {
    if (hasCitus) {
      const text = `SELECT FROM pg_dist_local_group JOIN pg_dist_node USING (groupid) WHERE nodename || ':' || nodeport = $1`;
      const { rowCount } = await client.query({ text, values: [node], query_timeout: withinMs } as pg.QueryConfig);
      if (rowCount === 1) return;
    }
    throw new StoreMisconfigured(
      `the server at ${node} is not the Citus node of that name: give the nodes names that mean the same to the service (citus_update_node, citus_set_coordinator_host), or remove citus_route=nodes`,
    );
  };
}
