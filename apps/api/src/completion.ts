import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';

/** Adds `completion`, which prints a script for a shell, and the hidden command that the script asks. */
export function addCompletion(program: Command): void {
  tab(program, { completionCommandName: 'completion' });
}
