import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { NewPlant } from '@plant-store/domain';
import type { Acknowledgement, AdderInput } from './add-plants-with.ts';

/**
 * Starts a process that adds plants to a store, kills it in the middle, and resolves with the plants that were acknowledged
 * before that.
 *
 * @param program the path of a module that calls `addPlantsWith`, without its extension: `.ts` as source, `.js` if built.
 * @param input the options of the store, and the plants to add.
 */
export async function addInKilledProcess<Options>(
  program: string,
  input: AdderInput<Options>,
): Promise<readonly NewPlant[]> {
  const isSource = existsSync(`${program}.ts`);
  const child = fork(`${program}${isSource ? '.ts' : '.js'}`, {
    execArgv: isSource ? ['--conditions=development'] : [],
    // Ids are bigints.
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // If it hangs, it is ended (SIGTERM) well before the clause would be.
    timeout: 30_000,
  });
  const acknowledged = new Set<bigint>();
  child.on('message', ({ plant, isEarly }: Acknowledgement) => {
    acknowledged.add(plant.id);
    if (acknowledged.size >= (isEarly ? ENOUGH : PLENTY)) child.kill('SIGKILL');
  });
  // Not as an argument, which every user of the machine can read: there may be a password in the options. An error is
  // ignored: a process that has already ended says why itself.
  child.send(input, () => {});
  const errorText = child.stderr ? text(child.stderr) : '';
  const [code, signal] = await once(child, 'close');
  if (signal === 'SIGKILL') return input.plants.filter(({ id }) => acknowledged.has(id));
  const how = `after ${acknowledged.size} plants, before it was killed (${signal ?? code})`;
  throw new Error(`the process that adds plants ended ${how}: ${(await errorText).trim()}`);
}

/** How many plants are acknowledged before the process is killed: enough that adds are in flight by then. */
const ENOUGH = 100;

/** The same if the best moment does not come. */
const PLENTY = 200;
