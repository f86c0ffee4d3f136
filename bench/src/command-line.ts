import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { contestants } from './contestants/contestants.ts';
import { type Settings, suiteNames } from './settings.ts';

/** The command line of the benchmark. */
export function commandLine(run: (settings: Settings, json: string | undefined) => Promise<void>): Command {
  return new Command('bench')
    .description('Measures the service and its alternatives in turn.')
    .addOption(new Option('--suite <name>', 'what to measure').choices(suiteNames).default('comparison'))
    .option('--only <names>', 'contestants, comma-separated', names)
    .option('--against <directory>', 'another checkout, installed, whose service is measured beside this one', checkout)
    .option('--rounds <n>', 'rounds, each with new processes; the report shows medians', wholeNumber(1), 3)
    .option('--seconds <n>', 'duration of a measurement in a round', number(0.1), 6)
    .option('--warm-up-seconds <n>', 'warm-up before the first measurement', number(0.1), 2)
    .option('--connections <n,…>', 'numbers of connections, one measurement each', numbers(1), [1, 64])
    .option('--rates <n,…>', 'requests per second, one measurement at each constant rate', numbers(1))
    .addOption(new Option('--ids <order>', 'order of ids').choices(['random', 'sequential']).default('random'))
    .option('--name-bytes <n>', 'bytes per name', wholeNumber(0), 18)
    .option('--duplicates <share>', 'share of repeated requests, from 0 to 1', share, 0)
    .option('--json <file>', 'write all figures to a file')
    .addHelpText('after', help)
    .showHelpAfterError('(see --help)')
    .action(({ json, ...settings }) =>
      run({ only: undefined, against: undefined, rates: undefined, ...settings }, json),
    );
}

const help = `
Suites:
  comparison  all contestants: each number of connections, then constant rates
  open-loop   the service and the plain stack at constant rates, until they are saturated

Contestants:
${contestants.map(({ name, description }) => `  ${name.padEnd(18)}${description}`).join('\n')}

Environment variables:
  BENCH_DATABASE_URL  PostgreSQL server in which it may create databases (default: an embedded one)
  BENCH_PGBENCH       path of pgbench, if it is not found automatically
  TMPDIR              directory on the disk that commits are synced to`;

function names(value: string): readonly string[] {
  const known = contestants.map(({ name }) => name);
  const chosen = value.split(',');
  const unknown = chosen.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new InvalidArgumentError(`${unknown.join(', ')}: expected some of ${known.join(', ')}`);
  return chosen;
}

function checkout(value: string): string {
  const directory = resolve(value);
  if (existsSync(join(directory, 'apps/api/src/main.ts'))) return directory;
  throw new InvalidArgumentError(`no apps/api/src/main.ts in ${directory}`);
}

function number(min: number): (value: string) => number {
  return (value) => {
    const read = Number(value);
    if (Number.isFinite(read) && read >= min) return read;
    throw new InvalidArgumentError(`expected a number of at least ${min}`);
  };
}

function wholeNumber(min: number): (value: string) => number {
  return (value) => {
    if (/^\d+$/.test(value) && Number(value) >= min) return Number(value);
    throw new InvalidArgumentError(`expected a whole number of at least ${min}`);
  };
}

function numbers(min: number): (value: string) => readonly number[] {
  return (value) => value.split(',').map(wholeNumber(min));
}

function share(value: string): number {
  const read = number(0)(value);
  if (read <= 1) return read;
  throw new InvalidArgumentError('expected a number from 0 to 1');
}
