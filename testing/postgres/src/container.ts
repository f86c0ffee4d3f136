import type { ServerContainer } from '@plant-store/testing-servers';
import { MAX_CONNECTIONS } from './postmaster.ts';

/** PostgreSQL in an image with the variables of Docker's official `postgres` images. */
export const container: ServerContainer = {
  port: 5432,
  prepare: (generic, wait) =>
    generic
      .withEnvironment({ POSTGRES_DB: 'test', POSTGRES_USER: 'test', POSTGRES_PASSWORD: 'test' })
      .withCommand(['postgres', '-c', `max_connections=${MAX_CONNECTIONS}`, '-c', 'fsync=off'])
      .withHealthCheck({
        // Not through the socket: the first start, which sets it up, listens there alone.
        test: ['CMD-SHELL', 'PGPASSWORD=test pg_isready --host localhost --username test --dbname test'],
        interval: 250,
        timeout: 1_000,
        retries: 1_000,
      })
      .withWaitStrategy(wait.forAll([wait.forHealthCheck(), wait.forListeningPorts()]))
      .withStartupTimeout(120_000),
  urlAt: (host) => `postgres://test:test@${host}/test`,
};
