import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import type { NewPlant } from '@plant-store/domain';
import type { Acknowledgement, AdderInput } from './add-plants.ts';
import { Acknowledged } from './add-twice.ts';

/** The function of an adapter that opens a store, for a process that imports it. */
export interface Opener {
  /** The path of the module, without its extension: `.ts` as source, `.js` if built. */
  readonly module: string;
  /** The name under which the module exports the function. */
  readonly name: string;
}

/**
 * Starts a process that adds plants to a store, each by two concurrent calls, and kills it with SIGKILL in the middle.
 *
 * @returns the plants that were acknowledged before the kill.
 * @throws {Error} with what the process wrote to standard error, if it ended by itself.
 */
export async function addInKilledProcess(
  { module, name }: Opener,
  options: object,
  plants: readonly NewPlant[],
): Promise<readonly NewPlant[]> {
  const extension = extname(import.meta.filename);
  const child = fork(join(import.meta.dirname, `add-plants${extension}`), {
    execArgv: extension === '.ts' ? ['--conditions=development'] : [],
    // Ids are bigints.
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // A process that hangs gets SIGTERM well before the clause times out.
    timeout: 30_000,
  });
  const acknowledged = new Acknowledged<bigint>();
  child.on('message', ({ id, isEarly }: Acknowledgement) => acknowledged.add(id, isEarly));
  acknowledged.enough.then(() => child.kill('SIGKILL'));
  const opener = { module: pathToFileURL(module + (existsSync(`${module}.ts`) ? '.ts' : '.js')).href, name };
  // Every user of the machine can read arguments, and the options may contain a password. The callback ignores errors,
  // because a process that has already ended reports its own.
  child.send({ opener, options, plants } satisfies AdderInput, () => {});
  const errorText = child.stderr ? text(child.stderr) : '';
  const [code, signal] = await once(child, 'close');
  if (signal === 'SIGKILL') return plants.filter(({ id }) => acknowledged.all.has(id));
  const how = `after ${acknowledged.all.size} plants, before it was killed (${signal ?? code})`;
  throw new Error(`the process that adds plants ended ${how}: ${(await errorText).trim()}`);
}
