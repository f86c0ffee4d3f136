import type { TestProject } from 'vitest/node';
import { type SharedServer, startSharedServer } from './shared-server.ts';

/**
 * vitest's `globalSetup`: starts the PostgreSQL that the run's tests share, prints which one on standard error, and stops
 * it after the last project. Projects that do not list it start nothing.
 */
export default async function setup(project: Pick<TestProject, 'provide'>): Promise<() => Promise<void>> {
  const run = theRun();
  run.projects += 1;
  run.server ??= startAndReport();
  const { url, databasePrefix } = await run.server;
  project.provide('postgres', { url, databasePrefix });

  return async () => {
    run.projects -= 1;
    if (run.projects > 0) return;
    const server = await run.server;
    run.server = undefined;
    await server?.stop();
  };
}

async function startAndReport(): Promise<SharedServer> {
  const server = await startSharedServer(process.env);
  process.stderr.write(`PostgreSQL ${server.version} for the tests: ${server.description}\n`);
  return server;
}

interface Run {
  server: Promise<SharedServer> | undefined;
  projects: number;
}

/** Every project loads this module anew, so what they share is a property of the process. */
function theRun(): Run {
  const holder = process as NodeJS.Process & { [key]?: Run };
  holder[key] ??= { server: undefined, projects: 0 };
  return holder[key];
}

const key: unique symbol = Symbol.for('@plant-store/testing-postgres');
