import type { Host } from '@plant-store/command-line';
import { Argument, type Command } from 'commander';

/** Adds `help` for the commands that the program has, and for the environment variables. */
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

async function printEnvironment(host: Host): Promise<void> {
  const { allSettings, settingsHelp } = await import('../config/index.ts');
  host.stdout.write(`${settingsHelp(allSettings)}\n`);
}
