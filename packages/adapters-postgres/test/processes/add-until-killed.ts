import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { NewPlant } from '@plant-store/domain';
import { start } from './start.ts';

/** How many plants are answered before the process is killed: enough that the kill comes in mid-work. */
const KILL_AFTER = 100;

/** Lets a process of its own add the plants, kills it in the middle, and resolves with those that were answered. */
export async function addUntilKilled(url: string, plants: readonly NewPlant[]): Promise<readonly NewPlant[]> {
  const child = start('add-plants.ts', url);
  // The rest of the plants meets a closed pipe.
  child.stdin.on('error', () => {});
  child.stdin.end(plants.map(({ id, ...plant }) => `${JSON.stringify({ id: String(id), ...plant })}\n`).join(''));

  const answered = new Set<string>();
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (id) => {
    answered.add(id);
    if (answered.size === KILL_AFTER) child.kill('SIGKILL');
  });
  const [[, signal]] = await Promise.all([once(child, 'exit'), once(lines, 'close')]);
  if (signal !== 'SIGKILL') throw new Error(`the process ended by itself after ${answered.size} plants`);
  return plants.filter(({ id }) => answered.has(String(id)));
}
