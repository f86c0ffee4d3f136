import { Command, InvalidArgumentError, Option } from 'commander';
import { contestants } from './contestants.ts';
import { runBenchmark } from './run-benchmark.ts';

const output = `bench/results/${new Date().toISOString().slice(0, 10)}.md`;
const known = contestants.map(({ name }) => name);

const program = new Command('bench')
  .description('Measures the service and its alternatives in turn. Prints a Markdown table, and appends it to a file.')
  .addOption(new Option('--only <names...>', 'contestants').choices(known).default(known, 'all'))
  .option('--rates <n,…>', 'constant rates in requests/s; 0 for none', numbers, [100, 500, 1_000, 2_000, 4_000, 8_000])
  .option('--connections <n,…>', 'numbers of connections that never pause; 0 for none', numbers, [8, 64, 256])
  .option('--sync-delay <ms>', 'how much longer each sync takes, as on a cloud volume; needs Linux and cc', number, 0)
  .option('--rounds <n>', 'rounds, each with new processes and empty tables', number, 5)
  .option('--seconds <n>', 'how long a contestant has each load in a round', number, 2)
  .option('--output <file>', 'where the table is appended', output)
  .option('--curve <file.svg>', 'where p50, p99 and CPU by rate are drawn')
  .addHelpText('after', '\nSet TMPDIR to choose the disk of the databases.\n\nContestants:')
  .addHelpText('after', contestants.map(({ name, about }) => `  ${name.padEnd(19)}${about}`).join('\n'))
  .showHelpAfterError('(see --help)')
  .action(runBenchmark);

// The processes that it started exit with it.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

function number(value: string): number {
  if (/^\d{1,6}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('expected a whole number');
}

function numbers(value: string): readonly number[] {
  return value.split(',').map(number);
}
