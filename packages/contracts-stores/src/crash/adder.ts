import { fork } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { text } from 'node:stream/consumers';
import type { NewPlant } from '@plant-store/domain';
import type { Order } from './order.ts';

/** A process of its own that adds plants to a store and is killed in the middle. Disposing of it kills it early. */
export interface Adder extends AsyncDisposable {
  /** Resolves with the plants that were answered before it was killed. */
  readonly answeredUntilKilled: Promise<readonly NewPlant[]>;
}

/**
 * Starts one; which plants are answered is up to the store.
 *
 * @param program the path of a module that calls `addPlantsWith`, without its extension: it runs as this package does,
 * as source or built.
 * @param order what it opens the store with, and the plants to add.
 */
export function startAdder<Options>(program: string, order: Order<Options>): Adder {
  const extension = extname(import.meta.filename);
  const child = fork(`${program}${extension}`, {
    execArgv: extension === '.ts' ? ['--conditions=development'] : [],
    // Ids are bigints.
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // One that hangs is ended (SIGTERM) well before the clause would be.
    timeout: 30_000,
  });
  const ended = once(child, 'close');
  const complaint = child.stderr ? text(child.stderr) : '';

  const answered = new Set<bigint>();
  child.on('message', ({ id }: NewPlant) => {
    answered.add(id);
    if (answered.size === KILL_AFTER) child.kill('SIGKILL');
  });
  // Not as an argument, which every user of the machine can read: there may be a password in the options. A process that
  // has ended already says why itself.
  child.send(order, () => {});

  async function untilKilled(): Promise<readonly NewPlant[]> {
    const [code, signal] = await ended;
    if (signal === 'SIGKILL') return order.plants.filter(({ id }) => answered.has(id));
    const how = `after ${answered.size} plants, before it was killed (${signal ?? code})`;
    throw new Error(`the process that adds plants ended ${how}: ${(await complaint).trim()}`);
  }

  const answeredUntilKilled = untilKilled();
  answeredUntilKilled.catch(() => {});
  return {
    answeredUntilKilled,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended.catch(() => {});
    },
  };
}

/** How many plants are answered before the process is killed: enough that the kill comes in mid-work. */
const KILL_AFTER = 100;
