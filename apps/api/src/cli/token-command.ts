import type { Command } from 'commander';
import type { Host } from '../host.ts';

/** Adds the command `token new`. */
export function addTokenCommand(program: Command, host: Host): void {
  program
    .command('token')
    .description('make access tokens')
    .command('new')
    .description('print a new token, once, and its entry for API_TOKENS')
    .action(async () => {
      const { newToken } = await import('@plant-store/adapters-tokens');
      const { token, entry } = newToken();
      host.stdout.write(
        `token: ${token}\nentry: ${entry}\n\nGive the token to the client; add the entry to API_TOKENS or API_TOKENS_FILE. The token is not shown again.\n`,
      );
    });
}
