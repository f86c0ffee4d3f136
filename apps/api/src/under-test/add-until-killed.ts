import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { NewPlant } from '@plant-store/domain';

/** What adds plants to a store in processes of their own. */
export interface Adders {
  /** Lets one add the plants, kills it in the middle, and resolves with those that were answered. */
  addUntilKilled(plants: readonly NewPlant[]): Promise<readonly NewPlant[]>;
  /** Kills those that are still at it, and resolves when they are gone. */
  end(): Promise<void>;
}

/** Each of them is this program's own `add-plants`. */
export function addersTo(databaseUrl: string): Adders {
  const ending = new AbortController();
  const running = new Set<Promise<unknown>>();
  return {
    async addUntilKilled(plants) {
      const adding = addUntilKilled(databaseUrl, plants, ending.signal);
      running.add(adding);
      return adding.finally(() => running.delete(adding));
    },
    async end() {
      ending.abort();
      await Promise.allSettled(running);
    },
  };
}

async function addUntilKilled(
  databaseUrl: string,
  plants: readonly NewPlant[],
  signal: AbortSignal,
): Promise<readonly NewPlant[]> {
  const [, program = ''] = process.argv;
  const child = spawn(process.execPath, [...process.execArgv, program, 'add-plants'], {
    // Not as an argument: every user of the machine can read those, and there may be a password in it.
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['pipe', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  let complaint = '';
  // What could not be started, or was killed early, is closed as well.
  child.on('error', (error) => {
    complaint ||= error.message;
  });
  // The rest of the plants meets a closed pipe.
  child.stdin.on('error', () => {});
  child.stdin.end(plants.map(lineOf).join(''));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });

  const answered = new Set<string>();
  createInterface({ input: child.stdout }).on('line', (id) => {
    answered.add(id);
    if (answered.size === KILL_AFTER) child.kill('SIGKILL');
  });
  const killedBy = await new Promise((resolve) => child.on('close', (_, by) => resolve(by)));
  if (killedBy !== 'SIGKILL') throw new Error(`it ended by itself after ${answered.size} plants: ${complaint.trim()}`);
  return plants.filter(({ id }) => answered.has(String(id)));
}

/** How many plants are answered before the process is killed: enough that the kill comes in mid-work. */
const KILL_AFTER = 100;

/** JSON has no int64. */
function lineOf({ id, ...plant }: NewPlant): string {
  return `${JSON.stringify({ id: String(id), ...plant })}\n`;
}
