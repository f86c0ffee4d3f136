#!/usr/bin/env node
import { runCommandLine } from './cli/index.ts';
import { errorMessage, IncompleteError, UsageError } from './errors.ts';

try {
  await runCommandLine(process.argv.slice(2), process.env);
} catch (thrown) {
  // The first failure; a failed cleanup usually follows from it.
  let error: unknown = thrown;
  while (error instanceof SuppressedError) error = error.suppressed;
  // A message for a person, without the stack, which LOG_LEVEL=debug shows.
  process.stderr.write(`plant-store: ${errorMessage(error)}\n`);
  if (process.env['LOG_LEVEL'] === 'debug' && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  process.exit(exitCodeOf(error));
}

function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return 2;
  return error instanceof IncompleteError ? 3 : 1;
}
