import type { TestProject } from 'vitest/node';
import { isInstalled } from './installed-server.ts';
import { type SharedServer, startSharedServer } from './shared-server.ts';

/**
 * vitest's `globalSetup`: starts the server that the run's tests share, prints which one on standard error, and stops it
 * after the last project. Without any, tests within `onMysql` are skipped with a reason, and in CI the run fails.
 */
export default async function setup(project: Pick<TestProject, 'provide'>): Promise<() => Promise<void>> {
  const run = theRun();
  run.projects += 1;
  run.server ??= start();
  const server = await run.server;
  if (server) project.provide('mysql', { url: server.url, databasePrefix: server.databasePrefix });
  else project.provide('mysql', { missing: `on MariaDB or MySQL: ${HOW}` });

  return async () => {
    run.projects -= 1;
    if (run.projects > 0) return;
    const server = await run.server;
    run.server = undefined;
    await server?.stop();
  };
}

async function start(): Promise<SharedServer | undefined> {
  // Where CI tests another server, it does so beside a run with this one.
  if (process.env['CI'] && !process.env['TEST_MYSQL_URL'] && !isInstalled())
    throw new Error('no MariaDB for the tests, which CI requires: install mariadb-server');
  const server = await startSharedServer(process.env);
  if (server) process.stderr.write(`${server.description}\n`);
  return server;
}

const HOW = 'install mariadb-server, start Docker, or set TEST_MYSQL_URL';

interface Run {
  server: Promise<SharedServer | undefined> | undefined;
  projects: number;
}

/** Every project loads this module anew, so what they share is a property of the process. */
function theRun(): Run {
  const holder = process as NodeJS.Process & { [key]?: Run };
  holder[key] ??= { server: undefined, projects: 0 };
  return holder[key];
}

const key: unique symbol = Symbol.for('@plant-store/testing-mysql');
