import { sharedServerSetup } from '../shared-server.ts';
import { runSql } from './database.ts';
import { startDedicatedServer } from './installed-server.ts';
import { isInstalled } from './programs.ts';

/** The `globalSetup` for vitest: MariaDB or MySQL. Images need the variables of Docker's official `mariadb` and `mysql`. */
export default sharedServerSetup({
  name: 'mysql',
  variables: { url: 'TEST_MYSQL_URL', image: 'TEST_MYSQL_IMAGE' },
  container: {
    image: 'mariadb:10.11',
    port: 3306,
    prepare: (generic, wait) =>
      generic
        .withEnvironment({ MARIADB_ALLOW_EMPTY_ROOT_PASSWORD: '1', MYSQL_ALLOW_EMPTY_PASSWORD: '1' })
        .withCommand(['--max-connections=300', '--innodb-flush-method=nosync'])
        // During its initialisation the server listens on port 0.
        .withWaitStrategy(wait.forLogMessage(/port: 3306\b/)),
    urlAt: (host) => `mysql://root@${host}/mysql`,
  },
  check: (url, prefix) => runSql(url, `create database ${prefix}`),
  readVersion: async (url) => (await runSql(url, 'select version() as version'))[0]?.['version'],
  async dropDatabases(url, prefix) {
    const rows = await runSql(url, 'select schema_name as name from information_schema.schemata');
    const ours = rows.map(({ name }) => String(name)).filter((name) => name.startsWith(prefix));
    for (const name of ours) await runSql(url, `drop database ${name}`);
  },
  // The shared server is never killed, so it does not sync, and a busy disk delays no test.
  startInstalled: async () => (isInstalled() ? startDedicatedServer({ fsync: false }) : undefined),
  missing:
    'on MariaDB or MySQL: run .ci/install-servers (Debian, Ubuntu) or install mariadb, start Docker, or set TEST_MYSQL_URL',
});
