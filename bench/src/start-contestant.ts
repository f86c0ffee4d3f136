import { fork } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@plant-store/testing';
import { applyLoad, type Load, TOKEN } from './apply-load.ts';
import type { Contestant, Database } from './contestants.ts';
import type { Figures } from './report.ts';

/** A contestant that is listening. */
export interface RunningContestant extends AsyncDisposable {
  readonly name: string;
  /** Applies a load. @throws {Error} if the table does not have exactly the acknowledged plants: the figures are invalid. */
  measure(load: Load): Promise<Figures>;
}

/** A module that makes a contestant exit when the benchmark does. */
const EXIT_WITH_PARENT = 'data:text/javascript,process.on("disconnect",()=>process.exit());process.channel.unref()';

/**
 * Starts a contestant as in production and waits until it is listening. It runs from source, so that a build is never stale. Its
 * log is read from a pipe, as a container runtime does, and discarded.
 * @throws {Error} if it is not listening within 30 s.
 */
export async function startContestant(
  { name, command }: Contestant,
  database: Database | undefined,
  preloaded: NodeJS.ProcessEnv = {},
): Promise<RunningContestant> {
  const [program, ...args] = command;
  const port = await freePort();
  const settings = { NODE_ENV: 'production', API_TOKENS: TOKEN, ADMIN_PORT: 'off', SHUTDOWN_DELAY_MS: '0' };
  const child = fork(program, args, {
    execArgv: ['--conditions=development', '--import', EXIT_WITH_PARENT],
    env: { PATH: process.env['PATH'], ...settings, PORT: `${port}`, DATABASE_URL: database?.url, ...preloaded },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  child.stdout?.resume();
  const exit = once(child, 'exit');
  const deadline = performance.now() + 30_000;
  // Any response shows that it is listening.
  while (!(await fetch(`http://127.0.0.1:${port}/`).then(Boolean, () => false))) {
    if (child.exitCode !== null || performance.now() > deadline) throw new Error(`${name} did not start`);
    await sleep(20);
  }
  const [ownCpu, serverCpu] = [cpuMeter(child.pid), cpuMeter(database?.serverPid)];
  let firstPlant = Math.floor(Math.random() * 1e15);
  return {
    name,
    async measure(load) {
      const rowsBefore = await database?.count();
      let [cpu, databaseCpu] = [0, 0];
      const { sent, created, measured, figures } = await applyLoad(port, load, firstPlant, async () => {
        [cpu, databaseCpu] = [ownCpu(), serverCpu()];
      });
      firstPlant += sent;
      const added = database && rowsBefore !== undefined ? (await database.count()) - rowsBefore : created;
      if (created === 0 || added < created || added > sent)
        throw new Error(`${name} acknowledged ${created} of ${sent} plants, and its table has ${added} more`);
      const used = { 'CPU µs': cpu / measured, 'database CPU µs': databaseCpu / measured };
      return { ...figures, ...used, failed: sent - created };
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exit;
    },
  };
}

/**
 * Returns a function that returns the CPU time in microseconds that a process and its children have used since the last call. NaN
 * if there is no such process, or this is not Linux.
 */
function cpuMeter(pid: number | undefined): () => number {
  let before = new Map<string, number>();
  return () => {
    const now = new Map<string, number>();
    for (const thread of globSync('/proc/[0-9]*/task/[0-9]*')) {
      try {
        const parent = /\) \S (\d+)/.exec(readFileSync(`${thread}/stat`, 'latin1'))?.[1];
        if (parent !== `${pid}` && !thread.startsWith(`/proc/${pid}/`)) continue;
        now.set(thread, Number.parseInt(readFileSync(`${thread}/schedstat`, 'latin1'), 10) / 1_000);
      } catch {
        // The thread has ended.
      }
    }
    const used = [...now].reduce((sum, [thread, time]) => sum + time - (before.get(thread) ?? 0), 0);
    before = now;
    return now.size === 0 ? Number.NaN : used;
  };
}
