import { applyLoad } from '../load/apply-load.ts';
import type { Load, LoadResult } from '../load/load.ts';
import type { Measurement } from '../samples.ts';
import type { Table } from '../stores/store.ts';
import type { Contestant } from './contestants.ts';
import type { Usage } from './report-usage.ts';
import { startServer, TOKEN } from './server-process.ts';

/** A contestant that is listening. */
export interface RunningContestant extends AsyncDisposable {
  readonly name: string;
  /** @throws {Error} if the table does not have what was answered with 200: the figures would be worth nothing. */
  measure(load: Load): Promise<Measurement>;
}

export async function startContestant(
  { name, program, args = [], environment, hasWorkers = false }: Contestant,
  table: Table | undefined,
  preloaded: Readonly<Record<string, string>> = {},
): Promise<RunningContestant> {
  const where = table ? { DATABASE_URL: table.url } : {};
  const server = await startServer(program, args, { ...where, ...preloaded, ...environment });
  let firstPlant = Math.floor(Math.random() * 1e15);
  return {
    name,
    [Symbol.asyncDispose]: server.stop,
    async measure(load) {
      const rowsBefore = await table?.count();
      const usages: Usage[] = [];
      const result = await applyLoad({ ...load, port: server.port, token: TOKEN, firstPlant }, async () => {
        usages.push(await server.usage());
      });
      firstPlant += result.sent;
      assertResponses(name, result);
      if (table && rowsBefore !== undefined) assertRows(name, (await table.count()) - rowsBefore, result);
      return {
        outcomes: result.outcomes,
        figures: {
          requestsPerSecond: result.completedInTime / result.seconds,
          ...result.latency,
          ...(load.rate !== undefined && { lateP99: result.lateness.p99 }),
          ...(!hasWorkers && usageOf(usages, result)),
        },
      };
    },
  };
}

function usageOf([before, after]: readonly Usage[], { outcomes }: LoadResult) {
  if (!before || !after) return {};
  const requests = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  return { cpu: ((after.cpuSeconds - before.cpuSeconds) / requests) * 1e6, rss: after.rss / 1e6 };
}

function assertResponses(name: string, { wrongBodies, outcomes }: LoadResult): void {
  if (wrongBodies > 0)
    throw new Error(`${name}: ${wrongBodies} responses with status 200 are not the plant that was sent`);
  if (!outcomes['200']) throw new Error(`${name}: no request succeeded: ${JSON.stringify(outcomes)}`);
}

/** Figures are valid only if the table has the created plants and no others. */
function assertRows(name: string, added: number, { created, unknown }: LoadResult): void {
  if (added >= created && added <= created + unknown) return;
  throw new Error(
    `${name}: ${created} plants were created, ${unknown} outcomes are unknown, but the table has ${added} more rows: its figures are invalid`,
  );
}
