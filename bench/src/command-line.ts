import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { contestants } from './contestants/contestants.ts';
import type { Settings } from './settings.ts';
import { suiteNames, suites } from './suites/suites.ts';

/** The command line of the benchmark. */
export function commandLine(run: (settings: Settings) => Promise<void>): Command {
  return new Command('bench')
    .description('Measures the service and its alternatives in turn.')
    .addOption(
      new Option('--suite <names>', 'what to measure, comma-separated')
        .argParser(names(suiteNames))
        .default(suiteNames, 'all'),
    )
    .option('--only <names>', 'contestants, comma-separated', names(contestants.map(({ name }) => name)))
    .option('--against <directory>', 'another checkout, installed, whose service is measured beside this one', checkout)
    .option('--rounds <n>', 'rounds, each with new processes; the report shows medians', wholeNumber(1), 3)
    .option('--seconds <n>', 'duration of a measurement in a round', number(0.1), 6)
    .option('--warm-up-seconds <n>', 'warm-up before the first measurement', number(0.1), 2)
    .option(
      '--connections <n,…>',
      'numbers of connections that never pause, one measurement each',
      list(wholeNumber(1)),
    )
    .option('--rates <n,…>', 'requests per second, one measurement at each constant rate', list(wholeNumber(1)))
    .option('--sync-delays <ms,…>', 'how much longer each sync takes, every measurement with each', list(number(0)))
    .option('--json <file>', 'write all figures to a file')
    .addHelpText('after', help)
    .showHelpAfterError('(see --help)')
    .action((options) => run({ ...unset, ...options }));
}

const unset = {
  json: undefined,
  only: undefined,
  against: undefined,
  connections: undefined,
  rates: undefined,
  syncDelays: undefined,
};

const help = `
Suites (--connections, --rates and --sync-delays replace their loads):
${suiteNames.map((name) => `  ${name.padEnd(19)}${suites[name].about}`).join('\n')}

Contestants:
${contestants.map(({ name, description }) => `  ${name.padEnd(19)}${description}`).join('\n')}

Environment variables:
  BENCH_DATABASE_URL  PostgreSQL server in which it may create databases (default: an embedded one)
  BENCH_MYSQL_URL     MariaDB server in which it may create databases (default: the mariadbd that is installed)
  TMPDIR              directory on the disk that commits are synced to

A longer sync needs Linux, cc, and servers that the benchmark starts itself.`;

function names<Name extends string>(known: readonly Name[]): (value: string) => readonly Name[] {
  return (value) =>
    value.split(',').map((name) => {
      const found = known.find((each) => each === name);
      if (found === undefined) throw new InvalidArgumentError(`${name}: expected some of ${known.join(', ')}`);
      return found;
    });
}

function checkout(value: string): string {
  const directory = resolve(value);
  if (existsSync(join(directory, 'apps/api/src/main.ts'))) return directory;
  throw new InvalidArgumentError(`no apps/api/src/main.ts in ${directory}`);
}

function number(min: number): (value: string) => number {
  return (value) => {
    const read = Number(value);
    if (value !== '' && Number.isFinite(read) && read >= min) return read;
    throw new InvalidArgumentError(`expected a number of at least ${min}`);
  };
}

function wholeNumber(min: number): (value: string) => number {
  return (value) => {
    if (/^\d+$/.test(value) && Number(value) >= min) return Number(value);
    throw new InvalidArgumentError(`expected a whole number of at least ${min}`);
  };
}

function list(each: (value: string) => number): (value: string) => readonly number[] {
  return (value) => value.split(',').map(each);
}
