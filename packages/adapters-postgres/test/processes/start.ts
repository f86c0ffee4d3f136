import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** Runs a script of this directory on a database. What it says on standard error goes to the test's own. */
export function start(script: string, databaseUrl: string): ChildProcessByStdio<Writable, Readable, null> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return spawn(process.execPath, ['--conditions=development', path], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}
