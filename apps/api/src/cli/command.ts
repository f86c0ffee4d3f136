import { Command } from 'commander';

/** A command whose exit code is 2 when it was called wrongly. */
export function command(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
}
