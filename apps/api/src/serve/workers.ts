import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { url as inspectorUrl } from 'node:inspector';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ConfigError } from '../errors.ts';
import { collectWorkerMetrics, WORKER_NAME } from '../telemetry/index.ts';
import { EXIT_MS } from './exit-guard.ts';
import { closeLostConnections } from './lost-connections.ts';
import type { Stoppable } from './signals.ts';
import { STALLED_MS } from './stall-guard.ts';
import type { Addresses, FromWorker, ToWorker } from './worker.ts';

/** How long workers are waited for, in milliseconds. */
interface Times {
  /** Delay before a worker that exited is restarted: one that cannot run must not be forked in a tight loop. */
  readonly restartDelayMs: number;
  /** How often each worker is asked whether its event loop runs. */
  readonly heartbeatMs: number;
  /** How long an event loop may be blocked. */
  readonly stalledMs: number;
  /**
   * How long a worker may take until it is listening, except for the very first, which migrates the store. A start takes about
   * a second; on a machine that is twenty times slower it still succeeds.
   */
  readonly startMs: number;
}

const usualTimes: Times = { restartDelayMs: 1_000, heartbeatMs: 500, stalledMs: STALLED_MS, startMs: 60_000 };

/**
 * How long a worker may take to respond when a shutdown begins, in milliseconds, before it is killed: a frozen one would keep
 * the listener open, and new connections would wait for it in vain. Requests are promised a response in the same time.
 */
const ROLL_CALL_MS = 2_000;

/**
 * How long the others wait for it before they drain, in milliseconds. A worker responds in a few, on a busy machine in some
 * tens; to a load balancer the delay makes no difference.
 */
const PROMPT_MS = 200;

/** The service as a whole, in several processes. */
export interface Workers extends Stoppable {
  /**
   * Resolves once every worker is listening; never if they are stopped before.
   * @throws {Error} if a worker exits before it is listening; it has logged why.
   */
  readonly started: Promise<Addresses>;
  /** Resolves with why the service has to end, as a worker says. */
  readonly failed: Promise<Error>;
}

/** What the primary knows of a worker. */
class Member {
  /** From 1; a restarted worker keeps it. */
  readonly name: number;
  /** Whether it may have got connections: it has asked Node for a listener. */
  reachable = false;
  /** Whether it has reported its addresses. */
  listening = false;
  /** Heartbeats without a response. Counted, not timed: after a machine was suspended, all are late. */
  missed = 0;
  /** Whether a debugger, which stops event loops on purpose, could be attached when it last responded. */
  debugged = false;
  /** When it last responded to one, by `performance.now()`. */
  respondedAt = 0;
  /** Whether it has shut down and only has to exit. */
  stopped = false;

  constructor(name: number) {
    this.name = name;
  }
}

/**
 * Runs the service in `count` processes that share its ports. A worker that exits is restarted. One whose event loop does not
 * run for {@link STALLED_MS} is killed and restarted; until then it gets one more connection at most, because Node hands over
 * the next one only once it has acknowledged the last.
 */
export function startWorkers(count: number, logger: Pick<Logger, 'error'>, times: Times = usualTimes): Workers {
  const team = new Map<Worker, Member>();
  const failures: Error[] = [];
  const failure = Promise.withResolvers<Error>();
  let stopping = false;

  collectWorkerMetrics();
  cluster.on('exit', (worker, code, signal) => {
    const { reachable, listening, stopped, name } = team.get(worker) as Member;
    team.delete(worker);
    const exited = `worker ${worker.process.pid} exited (${signal ?? code})`;
    if (!stopping && listening) {
      logger.error(`${exited}; restarting`);
      void restart(name);
    }
    if (stopping && reachable && code !== 0 && !stopped) failures.push(new Error(exited));
  });
  setInterval(checkHeartbeats, times.heartbeatMs).unref();

  return { started: startAll(), failed: failure.promise, stop, kill };

  async function startAll(): Promise<Addresses> {
    try {
      // The first one alone: what prevents its start would prevent all of them, and is logged once.
      const addresses = await start(1);
      await Promise.all(Array.from({ length: count - 1 }, (_, at) => startInTime(at + 2)));
      return addresses;
    } catch (error) {
      if (stopping) return new Promise(() => {});
      throw error;
    }
  }

  function start(name: number): Promise<Addresses> {
    const { promise, resolve, reject } = Promise.withResolvers<Addresses>();
    if (stopping) return promise;
    const worker = cluster.fork({ [WORKER_NAME]: String(name) });
    const member = new Member(name);
    team.set(worker, member);
    closeLostConnections(worker);
    // A message, this module's or Node's, did not reach a worker that was just killed; its exit follows.
    worker.on('error', () => {});
    worker.process.on('internalMessage', ({ act }: { act?: string }) => {
      // One that asks while it is killed by a stop has accepted nothing.
      if (act === 'queryServer' && !stopping) member.reachable = true;
    });
    // prom-client sends messages, too.
    worker.on('message', ({ addresses, failed, alive, debugged = false, stopped }: FromWorker) => {
      if (failed) failure.resolve(new Error(failed.message));
      if (addresses) {
        member.listening = true;
        resolve(addresses);
      }
      if (alive) {
        member.missed = 0;
        member.debugged = debugged;
        member.respondedAt = performance.now();
      }
      if (stopped) {
        member.stopped = true;
        // Exiting hangs if a thread of the worker is blocked.
        setTimeout(() => worker.process.kill('SIGKILL'), EXIT_MS).unref();
      }
    });
    worker.once('exit', (code, signal) => {
      const message = `a worker exited before it was listening (${signal ?? code}); see its message above`;
      // 2 is for a wrong setting, whoever has found it.
      reject(code === 2 ? new ConfigError(message) : new Error(message));
    });
    return promise;
  }

  async function startInTime(name: number): Promise<Addresses> {
    const timer = setTimeout(() => {
      const [worker] = [...team].find(([, member]) => member.name === name) ?? [];
      // With a debugger it may be waiting for a person.
      if (!worker || inspectorUrl() !== undefined) return;
      logger.error(`worker ${worker.process.pid} has not started within ${times.startMs} ms; killing it`);
      worker.process.kill('SIGKILL');
    }, times.startMs).unref();
    return start(name).finally(() => clearTimeout(timer));
  }

  async function restart(name: number): Promise<void> {
    for (let running = false; !running && !stopping; ) {
      await sleep(times.restartDelayMs);
      running = await startInTime(name).then(
        () => true,
        ({ message }: Error) => {
          if (!stopping) logger.error(message);
          return false;
        },
      );
    }
  }

  function checkHeartbeats(): void {
    for (const [worker, member] of team) {
      if (!member.listening || member.stopped) continue;
      if (member.missed === Math.ceil(times.stalledMs / times.heartbeatMs) && !member.debugged) {
        logger.error(`worker ${worker.process.pid} has not responded for ${times.stalledMs} ms; killing it`);
        worker.process.kill('SIGKILL');
      }
      member.missed += 1;
      send(worker, { heartbeat: true });
    }
  }

  /**
   * Nobody waits for workers that are missing: those that do not listen yet have accepted nothing, frozen ones cannot drain.
   * While one is silent the others are not ready but serve, until it is killed or would have been: if they closed before, the
   * listener would stay open, and what connects would get no response.
   */
  async function stop(delayMs: number): Promise<void> {
    stopping = true;
    killIf(({ reachable }) => !reachable);
    const calledRoll = rollCall().then(() => 0);
    // Later than the roll call, which began before.
    const atLeastMs = await Promise.race([calledRoll, sleep(PROMPT_MS, ROLL_CALL_MS)]);
    for (const worker of team.keys()) send(worker, { stop: { delayMs: Math.max(delayMs, atLeastMs) } });
    while (team.size > 0) await once(cluster, 'exit');
    if (failures.length > 0) throw new AggregateError(failures, failures.map(({ message }) => message).join('; '));
  }

  async function rollCall(): Promise<void> {
    const begunAt = performance.now();
    const isSilent = ({ respondedAt }: Member) => respondedAt < begunAt;
    for (const worker of team.keys()) send(worker, { heartbeat: true });
    while ([...team.values()].some(isSilent) && performance.now() < begunAt + ROLL_CALL_MS) await sleep(1);
    killIf(isSilent);
  }

  function killIf(condition: (member: Member) => boolean): void {
    for (const [worker, member] of team) if (condition(member)) worker.process.kill('SIGKILL');
  }

  function kill(): void {
    killIf(() => true);
  }
}

function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message);
}
