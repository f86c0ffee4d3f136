import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** Runs a script of this directory on a file until it has said that it is ready. Its errors go to the test's own. */
export async function start(script: string, path: string): Promise<ChildProcessByStdio<Writable, Readable, null>> {
  const parameters = ['--conditions=development', fileURLToPath(new URL(script, import.meta.url)), path];
  const child = spawn(process.execPath, parameters, { stdio: ['pipe', 'pipe', 'inherit'] });
  const [first] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), once(child, 'exit')]);
  if (first !== 'ready') throw new Error(`${script} did not say that it is ready: ${first}`);
  return child;
}
