import { isTransient as isTransientOnPostgres } from '@plant-store/adapters-postgres/driver';
import { StoreUnavailable } from '@plant-store/domain';
import pg from 'pg';

/**
 * Whether the coordinator reports what has happened between it and another node of its Citus cluster: the connection to
 * the coordinator itself is well. By the texts with which Citus does so, which it does not translate; a node's own error
 * comes with its own code, such as 57P01, and Citus adds in which command.
 */
export function isRemote(error: pg.DatabaseError): boolean {
  return hasLostNode(error) || error.where?.includes('while executing command on ') === true;
}

/** Whether the failure is worth a retry at once: as of PostgreSQL, or because the coordinator has lost a node. */
export function isTransient(error: unknown): boolean {
  const cause = error instanceof StoreUnavailable ? error.cause : error;
  return isTransientOnPostgres(error) || (cause instanceof pg.DatabaseError && hasLostNode(cause));
}

/** Whether the coordinator reports that it could not reach another node, or has lost its connection to it. */
function hasLostNode({ message }: pg.DatabaseError): boolean {
  return remoteMessages.test(message);
}

/**
 * src/backend/distributed of Citus: connection/remote_commands.c, connection/placement_connection.c,
 * executor/adaptive_executor.c, transaction/remote_transaction.c.
 */
const remoteMessages =
  /^(connection to the remote node |could not commit transaction for shard |could not establish any connections to the node |failure on connection marked as essential)/;
