import commands from '@bomb.sh/tab';
import tab from '@bomb.sh/tab/commander';
import type { Host } from '@plant-store/command-line';
import type { Command } from 'commander';
import { bashScript, fishScript, zshScript } from './scripts.ts';

/** Adds `completion`, which prints a script for a shell, and the hidden command that the script calls. */
export function addCompletionCommand(program: Command, { stdout }: Host): void {
  tab(program, { completionCommandName: NAME });
  const completion = program.commands.find((command) => command.name() === NAME);
  completion?.description('print a script for shell completion');
  completion?.addHelpText(
    'after',
    '\nIn ~/.bashrc or ~/.zshrc: source <(plant-store completion bash), or zsh, after compinit.',
  );
  completion?.addHelpText('after', 'In ~/.config/fish/config.fish: plant-store completion fish | source');
  completion?.addHelpText('after', 'plant-store must be on the PATH.');
  completion?.registeredArguments[0]?.choices(shells);
  completion?.action((shell: Shell) => void stdout.write(scripts[shell]));
  commands.commands.get(NAME)?.argument('shell', (complete) => {
    for (const shell of shells) complete(shell, '');
  });
}

const NAME = 'completion';

const shells = ['bash', 'zsh', 'fish'] as const;

type Shell = (typeof shells)[number];

const scripts: Readonly<Record<Shell, string>> = { bash: bashScript, zsh: zshScript, fish: fishScript };
