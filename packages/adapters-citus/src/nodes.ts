import type { Session } from '@plant-store/adapters-postgres/driver';
import { StoreUnavailable } from '@plant-store/domain';
import { StoreUnsafe } from '@plant-store/store-kit';

/**
 * Checks that every node can commit, and durably, because nodes commit with their own `synchronous_commit`.
 *
 * @throws {StoreUnsafe} with the node whose setting has to change; {@link StoreUnavailable} with a node that does not respond.
 */
export async function checkNodes(session: Session): Promise<void> {
  const { rows } = await session.query<{ node: string; success: boolean; result: string }>({
    text: `select nodename || ':' || nodeport as node, success, result
      from run_command_on_workers($$select case when pg_is_in_recovery() then 'standby'
        else current_setting('synchronous_commit') end$$)`,
  });
  for (const { node, success, result } of rows) {
    if (!success || result === 'standby')
      throw new StoreUnavailable(`Citus node ${node} cannot store plants: ${success ? 'it is a standby' : result}`);
    if (result === 'off') throw new StoreUnsafe(`Citus node ${node}: ${NOT_DURABLE}`);
  }
}

const NOT_DURABLE =
  'synchronous_commit is off, so a crash of the node loses what was acknowledged: set it to on there (ALTER SYSTEM SET synchronous_commit = on; SELECT pg_reload_conf())';
