import { lockTimeoutMs, type Statement } from '@plant-store/adapters-postgres/driver';
import { type NewPlant, textFields } from '@plant-store/domain';
import { statement } from './transaction.ts';

/**
 * Inserts the plants of one shard whose ids are free, and returns these ids. Citus plans it as one task for one node. An
 * insert from `unnest`, as plain PostgreSQL gets, it would plan as an insert for each shard, with two-phase commit.
 */
export function insertInto(plants: readonly NewPlant[]): Statement {
  const rows = plants.map(
    (_, row) => `(${types.map((type, at) => `$${row * types.length + at + 1}::${type}`).join()})`,
  );
  return {
    text: `insert into plants (${['id', ...textFields].join(', ')}) values ${rows.join()} on conflict (id) do nothing returning id`,
    values: plants.flatMap((plant) => [String(plant.id), ...textFields.map((field) => plant[field] ?? null)]),
  };
}

/**
 * Bounds the waits for locks on the node as well. In `set_config` or a session's settings the coordinator keeps them for
 * itself.
 */
export function lockTimeout(mayWait: boolean): readonly Statement[] {
  return [
    statement(`set local citus.propagate_set_commands = 'local'`),
    statement(`set local lock_timeout = '${lockTimeoutMs(mayWait)}ms'`),
  ];
}

const types = ['int8', ...textFields.map(() => 'text')];
