#!/usr/bin/env node
import { commandLine } from './cli/command-line.ts';
import { StoppedEarly } from './incomplete-error.ts';
import { WrongUsage } from './usage-error.ts';

try {
  await commandLine(process.env).parseAsync();
} catch (thrown) {
  // What went wrong first; that tidying up failed as well follows from it.
  let error: unknown = thrown;
  while (error instanceof SuppressedError) error = error.suppressed;
  // A person reads this: one message, no stack. LOG_LEVEL=debug shows where it came from.
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`plant-store: ${message}\n`);
  if (process.env['LOG_LEVEL'] === 'debug' && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  process.exit(exitCodeOf(error));
}

function exitCodeOf(error: unknown): number {
  if (error instanceof WrongUsage) return 2;
  return error instanceof StoppedEarly ? 3 : 1;
}
