import { Command, InvalidArgumentError, Option } from 'commander';
import { contestants } from './contestants/contestants.ts';
import { type Files, type Settings, suiteNames } from './settings.ts';

/** The command line: reads the options and hands them on. */
export function commandLine(run: (settings: Settings, files: Files) => Promise<void>): Command {
  return new Command('bench')
    .description('Measures the service side by side with what a team would otherwise use, in interleaved rounds.')
    .addOption(new Option('--suite <name>', 'what to measure').choices(suiteNames).default('comparison'))
    .option('--only <names>', 'contestants, comma-separated', names)
    .option('--rounds <n>', 'rounds, of which the medians are printed', wholeNumber(1), 3)
    .option('--seconds <n>', 'length of a measurement', number(0.1), 6)
    .option('--warm-up-seconds <n>', 'the same load before the first one is measured', number(0.1), 2)
    .option('--connections <n,…>', 'connections, each number a measurement of its own', numbers(1), [1, 64])
    .option('--rate <n>', 'requests per second where they come at a constant rate', number(1), 4_000)
    .addOption(new Option('--ids <order>', 'ids of the plants').choices(['random', 'sequential']).default('random'))
    .option('--name-bytes <n>', 'bytes in a name', wholeNumber(0), 18)
    .option('--duplicates <share>', 'share of requests that repeat an earlier one, from 0 to 1', share, 0)
    .option('--rows <n,…>', 'growth: rows in the table beforehand', numbers(0), [0, 1_000_000, 10_000_000])
    .option('--creates <n>', 'memory: creates in all', wholeNumber(200_000), 5_000_000)
    .option('--json <file>', 'write all figures there')
    .option('--svg <file>', 'draw a chart of the requests per second there')
    .addHelpText('after', help)
    .showHelpAfterError('(--help shows what there is)')
    .action(({ json, svg, ...settings }) => run({ only: undefined, ...settings }, { json, svg }));
}

const help = `
Suites:
  comparison  all contestants: each number of connections, then a constant rate
  growth      the service: larger tables, more connections, longer names, duplicates, a slow client
  memory      the service: resident memory after 100,000 creates, and on to --creates

Contestants:
${contestants.map(({ name, description }) => `  ${name.padEnd(18)}${description}`).join('\n')}

Environment variables:
  BENCH_DATABASE_URL  a PostgreSQL in which databases may be made (plant_store_bench_…); else the embedded one
  BENCH_PGBENCH       the path of pgbench, where it is not found by itself
  TMPDIR              the disk that commits are synced to`;

function names(value: string): readonly string[] {
  const known = contestants.map(({ name }) => name);
  const chosen = value.split(',');
  const unknown = chosen.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new InvalidArgumentError(`${unknown.join(', ')}: expected some of ${known.join(', ')}`);
  return chosen;
}

function number(least: number): (value: string) => number {
  return (value) => {
    const read = Number(value);
    if (Number.isFinite(read) && read >= least) return read;
    throw new InvalidArgumentError(`expected a number from ${least} upwards`);
  };
}

function wholeNumber(least: number): (value: string) => number {
  return (value) => {
    if (/^\d+$/.test(value) && Number(value) >= least) return Number(value);
    throw new InvalidArgumentError(`expected a whole number from ${least} upwards`);
  };
}

function numbers(least: number): (value: string) => readonly number[] {
  return (value) => value.split(',').map(wholeNumber(least));
}

function share(value: string): number {
  const read = number(0)(value);
  if (read <= 1) return read;
  throw new InvalidArgumentError('expected a number from 0 to 1');
}
