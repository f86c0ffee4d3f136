import { expect, test } from 'vitest';
import { checkServer, type Query } from '../src/driver/check-session.ts';

/** A server that has these settings besides the usual ones; `wsrep_ready` is a status of a node of a Galera cluster. */
function server(settings: Readonly<Record<string, string>>, ready?: string): Query {
  const usual = { innodb_flush_log_at_trx_commit: '1', log_bin: 'OFF', read_only: 'OFF', max_allowed_packet: '1024' };
  return async (sql) => {
    if (sql.includes('global variables'))
      return Object.entries({ ...usual, ...settings }).map(([name, Value]) => ({ Variable_name: name, Value }));
    if (sql.includes("'wsrep_ready'"))
      return ready === undefined ? [] : [{ Variable_name: 'wsrep_ready', Value: ready }];
    return [];
  };
}

test.each([
  [{ gtid_domain_id: '0' }, true],
  [{}, false],
])('what has the settings %o is MariaDB: %s', async (settings, isMariaDb) => {
  expect(await checkServer(server(settings), 'a:3306', 'plants')).toEqual({ maxAllowedPacket: 1_024, isMariaDb });
});

test('a server without a value of a setting is not taken for one that syncs', async () => {
  const query: Query = async () => [];
  await expect(checkServer(query, 'a:3306', 'plants')).rejects.toThrow('innodb_flush_log_at_trx_commit is not 1');
});

test.each(['ON', '1'])('with wsrep_on %s, a node of a cluster is used only while it is ready', async (on) => {
  await expect(checkServer(server({ wsrep_on: on }, 'ON'), 'a:3306', 'plants')).resolves.toBeDefined();
  for (const ready of ['OFF', undefined])
    await expect(checkServer(server({ wsrep_on: on }, ready), 'a:3306', 'plants')).rejects.toThrow(
      'a:3306 is not in the primary component of its cluster',
    );
});

test('a server that is in no cluster need not be ready for one; a read-only one is named', async () => {
  await expect(checkServer(server({ wsrep_on: 'OFF' }, 'OFF'), 'a:3306', 'plants')).resolves.toBeDefined();
  await expect(checkServer(server({ read_only: 'ON' }), 'a:3306', 'plants')).rejects.toThrow('a:3306 is read-only');
});
