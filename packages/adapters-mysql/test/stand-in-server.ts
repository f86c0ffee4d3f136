import type { NewPlant } from '@plant-store/domain';
import { serverEngine, plants as table } from '@plant-store/sql-store';
import { type Mock, vi } from 'vitest';
import type { Connections } from '../src/driver/connections.ts';
import type { Session } from '../src/driver/session.ts';
import { isTransient, MysqlError, translateError } from '../src/errors.ts';
import { statementsOf } from '../src/statements.ts';

/** What becomes of an id: what is deleted by another session cannot be read, and locks all the same. */
type State = 'stored' | 'being inserted' | 'being deleted';

const isLocked = (state: State | undefined) => state === 'being inserted' || state === 'being deleted';

/**
 * Connections to a server that knows these ids, and has no others. `tried` has the ids of each insert in the order of its
 * statement, after `waits` where it may wait for a lock; `statements` has everything.
 */
export function standInServer(states: Readonly<Record<number, State>>, { isMariaDb = true } = {}) {
  const known = new Map<string, State>(Object.entries(states));
  const tried: string[] = [];
  const statements: string[] = [];

  async function query(sql: string): Promise<unknown> {
    statements.push(sql);
    const [, wanted] = /^select id from plants where id in \((.*)\) for share nowait$/.exec(sql) ?? [];
    if (wanted?.split(',').some((id) => isLocked(known.get(id))))
      throw new MysqlError('it must not wait for a lock', { errno: 3572, sqlState: 'HY000' });
    const [, names = '', list = ''] = /^select (.*) from plants where id in \((.*)\)$/.exec(sql) ?? [];
    const seen = names === 'id' ? ['stored', 'being inserted'] : ['stored'];
    if (names)
      return list.split(',').flatMap((id) => (seen.includes(known.get(id) ?? '') ? [{ id, name: 'Moss' }] : []));
    if (!sql.includes('insert into plants ')) return [];
    const ids = [...sql.matchAll(/\((\d+),/g)].map(([, id = '']) => id);
    tried.push(`${sql.startsWith('insert') ? 'waits ' : ''}${ids}`);
    const found = ids.map((id) => known.get(id)).find((state) => state !== undefined);
    if (found === 'stored') throw new MysqlError('it is a duplicate', { errno: 1062, sqlState: '23000' });
    if (found) throw new MysqlError('it waited for a lock', { errno: 1205, sqlState: 'HY000' });
    for (const id of ids) known.set(id, 'stored');
    return [];
  }
  const session = { isMariaDb, maxAllowedPacket: 1_000_000, query } as unknown as Session;
  const connections = { use: async (run: (on: Session) => unknown) => run(session) } as unknown as Connections;
  return { connections, tried, statements };
}

export const plantsWith = (...ids: number[]) => ids.map((id) => ({ id: BigInt(id), name: 'Fern' }));

/** Settles plants whose ids are taken, as a store on these connections does. */
export async function settle(connections: Connections, plants: readonly NewPlant[], done: Mock): Promise<void> {
  const brought = { ...statementsOf(table, connections), insertBatch: vi.fn() };
  const engine = serverEngine(table, brought, { translateError, isTransient, close: () => connections.end() });
  await engine.settle?.(plants, 0, done);
}
