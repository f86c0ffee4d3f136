import type { Load, LoadResult } from '../load/load.ts';
import type { Table } from '../stores/table.ts';
import type { Contestant, Place, RunningContestant } from './contestant.ts';
import { startServer, TOKEN } from './server-process.ts';

export interface HttpContestantOptions extends Pick<Contestant, 'name' | 'description' | 'engine'> {
  /** The file to run. */
  readonly program: string;
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Its work is done by other processes, of which it is not known what they use. */
  readonly hasWorkers?: boolean;
}

/** A contestant that is loaded over HTTP. It is told where its table is in `DATABASE_URL`. */
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
        const before = await server.usage();
        const result = await generator.run({ ...load, port: server.port, token: TOKEN, firstPlant });
        const { cpuSeconds, rss, peakRss } = await server.usage();
        firstPlant += result.sent;
        assertAnswers(about.name, result);
        return {
          requestsPerSecond: result.answeredInTime / result.seconds,
          latency: result.latency,
          ...(load.rate === undefined ? {} : { lateness: result.lateness }),
          ...(hasWorkers
            ? {}
            : { cpuPer1000: ((cpuSeconds - before.cpuSeconds) / total(result.outcomes)) * 1_000, rss, peakRss }),
          outcomes: result.outcomes,
          ...(table && rowsBefore !== undefined
            ? { rowsAdded: await rowsAdded(about.name, table, rowsBefore, result) }
            : {}),
        };
      },
    };
  }
}

function assertAnswers(name: string, { wrongBodies, outcomes }: LoadResult): void {
  if (wrongBodies > 0) throw new Error(`${name}: ${wrongBodies} answers of status 200 are not the plant that was sent`);
  if (!outcomes['200']) throw new Error(`${name}: nothing was answered 200, but ${JSON.stringify(outcomes)}`);
}

/** A figure counts only if the table has the plants that were answered 200, and no others. */
async function rowsAdded(name: string, table: Table, before: number, result: LoadResult): Promise<number> {
  const added = (await table.count()) - before;
  const { created, unknown } = result;
  if (added >= created && added <= created + unknown) return added;
  throw new Error(
    `${name}: ${created} new plants were answered 200, of ${unknown} the outcome is unknown, and the table has ${added} rows more: its figures count for nothing`,
  );
}

function total(outcomes: Readonly<Record<string, number>>): number {
  return Object.values(outcomes).reduce((sum, count) => sum + count, 0);
}
