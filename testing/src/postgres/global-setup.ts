import { sharedServerSetup } from '../shared-server.ts';
import { runSql } from './database.ts';
import { startDedicatedServer } from './embedded-server.ts';
import { MAX_CONNECTIONS } from './server-home.ts';

/** The `globalSetup` for vitest: PostgreSQL. Images need the variables of Docker's official `postgres`. */
export default sharedServerSetup({
  name: 'postgres',
  variables: { url: 'TEST_DATABASE_URL', image: 'TEST_POSTGRES_IMAGE' },
  container: {
    image: 'postgres:18-alpine',
    port: 5432,
    prepare: (generic, wait) =>
      generic
        .withEnvironment({ POSTGRES_DB: 'test', POSTGRES_USER: 'test', POSTGRES_PASSWORD: 'test' })
        .withCommand(['postgres', '-c', `max_connections=${MAX_CONNECTIONS}`, '-c', 'fsync=off'])
        .withHealthCheck({
          // Over TCP, because during its initialisation the server listens on the socket alone.
          test: ['CMD-SHELL', 'PGPASSWORD=test pg_isready --host localhost --username test --dbname test'],
          interval: 250,
          timeout: 1_000,
          retries: 1_000,
        })
        .withWaitStrategy(wait.forAll([wait.forHealthCheck(), wait.forListeningPorts()]))
        .withStartupTimeout(120_000),
    urlAt: (host) => `postgres://test:test@${host}/test`,
  },
  async check(url) {
    if (!URL.canParse(url)) throw new Error('it is not a URL');
    const sql = 'SELECT rolsuper OR rolcreatedb AS allowed FROM pg_roles WHERE rolname = current_user';
    const [role] = await runSql(url, sql);
    if (!role?.['allowed']) throw new Error('its user may not create databases');
  },
  readVersion: async (url) => (await runSql(url, 'SHOW server_version'))[0]?.['server_version'],
  async dropDatabases(url, prefix) {
    const databases = await runSql(url, 'SELECT datname FROM pg_database WHERE starts_with(datname, $1)', [prefix]);
    for (const { datname } of databases) await runSql(url, `DROP DATABASE ${datname} WITH (FORCE)`);
  },
  // The shared server is never killed, so it does not sync, and a busy disk does not delay DROP DATABASE.
  startInstalled: () => startDedicatedServer({ fsync: false }),
  missing: 'on PostgreSQL',
});
