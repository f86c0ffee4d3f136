import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { NewPlant } from '@plant-store/domain';

/** Lets a process of its own add the plants, kills it in the middle, and resolves with those that were answered. */
export async function addUntilKilled(url: string, plants: readonly NewPlant[]): Promise<readonly NewPlant[]> {
  const script = fileURLToPath(new URL('processes/add-plants.ts', import.meta.url));
  // A process that hangs is ended, well before the clause would be.
  const child = spawn(process.execPath, ['--conditions=development', script, url], { timeout: 30_000 });
  const complaint = text(child.stderr);
  const answered = new Set<string>();
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (id) => {
    answered.add(id);
    if (answered.size === KILL_AFTER) child.kill('SIGKILL');
  });
  // The rest of the plants meets a closed pipe.
  child.stdin.on('error', () => {});
  child.stdin.end(plants.map(({ id, ...plant }) => `${JSON.stringify({ id: String(id), ...plant })}\n`).join(''));

  const [[, signal]] = await Promise.all([once(child, 'exit'), once(lines, 'close')]);
  if (signal !== 'SIGKILL')
    throw new Error(`test/processes/add-plants.ts ended after ${answered.size} plants: ${signal ?? (await complaint)}`);
  return plants.filter(({ id }) => answered.has(String(id)));
}

/** How many plants are answered before the process is killed: enough that the kill comes in mid-work. */
const KILL_AFTER = 100;
