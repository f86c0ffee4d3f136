import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** A process that runs a script of this directory on a file and has said that it is ready. */
export interface Started {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  /** What it writes after `ready`, line by line. */
  readonly lines: Interface;
  /** Its exit code and the signal that ended it. */
  readonly exit: Promise<readonly unknown[]>;
}

/** What the process says on standard error goes to the test's own. */
export async function start(script: string, path: string): Promise<Started> {
  const parameters = ['--conditions=development', fileURLToPath(new URL(script, import.meta.url)), path];
  const child = spawn(process.execPath, parameters, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const [first] = await Promise.race([once(lines, 'line'), exit]);
  if (first !== 'ready') throw new Error(`${script} did not say that it is ready: ${first}`);
  return { child, lines, exit };
}

/** Every line from now until the process ends, which it must do by itself and with success. */
export async function remainingLines({ lines, exit }: Started): Promise<readonly string[]> {
  const collected: string[] = [];
  lines.on('line', (line) => collected.push(line));
  const [[code]] = await Promise.all([exit, once(lines, 'close')]);
  if (code !== 0) throw new Error(`the process ended with exit code ${code}`);
  return collected;
}
