import type { Load, LoadResult } from '../load/load.ts';
import type { Table } from '../stores/table.ts';
import type { Contestant, Place, RunningContestant } from './contestant.ts';
import type { Usage } from './report-usage.ts';
import { startServer, TOKEN } from './server-process.ts';

export interface HttpContestantOptions extends Pick<Contestant, 'name' | 'description' | 'engine' | 'missing'> {
  /** The file to run. */
  readonly program: string;
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Other processes do its work, and their usage is unknown. */
  readonly hasWorkers?: boolean;
}

/** A contestant with an HTTP interface. It gets its table in `DATABASE_URL`. */
export function httpContestant({
  program,
  args = [],
  environment = {},
  hasWorkers = false,
  ...about
}: HttpContestantOptions): Contestant {
  return {
    ...about,
    start: ({ table, generator }) => start({ table, generator }),
  };

  async function start({ table, generator }: Place): Promise<RunningContestant> {
    const where = table ? { DATABASE_URL: table.url } : {};
    const server = await startServer(program, args, { ...where, ...environment });
    let firstPlant = Math.floor(Math.random() * 1e15);
    return {
      stop: server.stop,
      async measure(load: Load) {
        const rowsBefore = await table?.count();
        const usages: Usage[] = [];
        const result = await generator.run({ ...load, port: server.port, token: TOKEN, firstPlant }, async () => {
          usages.push(await server.usage());
        });
        const [before, after] = usages;
        firstPlant += result.sent;
        assertResponses(about.name, result);
        return {
          requestsPerSecond: result.completedInTime / result.seconds,
          latency: result.latency,
          ...(load.rate === undefined ? {} : { rate: load.rate, lateness: result.lateness }),
          ...(hasWorkers || !before || !after ? {} : usageFigures(before, after, total(result.outcomes))),
          outcomes: result.outcomes,
          ...(table && rowsBefore !== undefined
            ? { rowsAdded: await rowsAdded(about.name, table, rowsBefore, result) }
            : {}),
        };
      },
    };
  }
}

function usageFigures(before: Usage, { cpuSeconds, rss, peakRss }: Usage, requests: number) {
  return { cpuPer1000: ((cpuSeconds - before.cpuSeconds) / requests) * 1_000, rss, peakRss };
}

function assertResponses(name: string, { wrongBodies, outcomes }: LoadResult): void {
  if (wrongBodies > 0)
    throw new Error(`${name}: ${wrongBodies} responses with status 200 are not the plant that was sent`);
  if (!outcomes['200']) throw new Error(`${name}: no request succeeded: ${JSON.stringify(outcomes)}`);
}

/** Figures are valid only if the table has the created plants and no others. */
async function rowsAdded(name: string, table: Table, before: number, result: LoadResult): Promise<number> {
  const added = (await table.count()) - before;
  const { created, unknown } = result;
  if (added >= created && added <= created + unknown) return added;
  throw new Error(
    `${name}: ${created} plants were created, ${unknown} outcomes are unknown, but the table has ${added} more rows: its figures are invalid`,
  );
}

function total(outcomes: Readonly<Record<string, number>>): number {
  return Object.values(outcomes).reduce((sum, count) => sum + count, 0);
}
