import type pg from 'pg';

/**
 * Whether the coordinator reports what has happened between it and another node of its Citus cluster: the connection to
 * the coordinator itself is well. By the texts with which Citus does so, which it does not translate; a node's own error
 * comes with its own code, such as 57P01, and Citus adds in which command.
 */
export function isRemote({ message, where }: pg.DatabaseError): boolean {
  return remoteMessages.test(message) || (where ?? '').includes('while executing command on ');
}

/** src/backend/distributed of Citus: connection/remote_commands.c, connection/placement_connection.c. */
const remoteMessages = /^(connection to the remote node |could not commit transaction for shard )/;
