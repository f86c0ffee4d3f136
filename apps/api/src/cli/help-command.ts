import { styleText } from 'node:util';
import { Argument, type Command } from 'commander';
import type { Host } from '../host.ts';

/** Adds the command `help`, for all commands added so far and for the environment variables. */
export function addHelpCommand(program: Command, host: Host): void {
  const topics = [...program.commands.map((command) => command.name()), ENVIRONMENT];
  const topic = new Argument('[topic]', 'a command, or environment').choices(topics);
  program
    .command('help')
    .description('show help for a command or the environment variables')
    .addArgument(topic)
    .action(async (name = '') => {
      if (name === ENVIRONMENT) return printEnvironment(host);
      await program.parseAsync(name === '' ? ['--help'] : [name, '--help'], { from: 'user' });
    });
}

const ENVIRONMENT = 'environment';

/** Prints each setting with its description, form and default. */
async function printEnvironment({ stdout }: Host): Promise<void> {
  const { metadataOf, defaultOf, settings } = await import('../config/index.ts');
  const lines = Object.entries(settings.shape).map(([name, schema]) => {
    const { description, expected } = metadataOf(schema);
    const byDefault = defaultOf(schema);
    const form = byDefault === undefined ? expected : `${expected} (default: ${byDefault})`;
    return `  ${name}\n      ${description}\n      ${styleText('dim', `${form}`)}\n`;
  });
  stdout.write(`Environment variables:\n${lines.join('')}`);
}
