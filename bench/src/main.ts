import { commandLine } from './command-line.ts';
import { runBenchmark } from './run-benchmark.ts';

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  // The processes that it started exit with it.
  process.once(signal, () => process.exit(code));
}

try {
  await commandLine(runBenchmark).parseAsync();
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
