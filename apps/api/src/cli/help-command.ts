import type { Host } from '@plant-store/command-line';
import { Argument, type Command } from 'commander';

/**
 * Adds `help` for the commands of the program and for the environment variables.
 * @param later names of commands that are added after it.
 */
export function addHelpCommand(program: Command, later: readonly string[], host: Host): void {
  const topics = [...program.commands.map((command) => command.name()), ...later, ENVIRONMENT];
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

async function printEnvironment(host: Host): Promise<void> {
  const { allSettings, settingsHelp } = await import('../config/index.ts');
  host.stdout.write(`${settingsHelp(allSettings)}\n`);
}
