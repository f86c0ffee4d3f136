import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The generators' command lines in docs/clients.md, each from the name of the generator on, with the description read
 * from here and the result written there.
 */
export function documentedCommands(description: string, directory: string): readonly (readonly string[])[] {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/clients.md'), 'utf8');
  return [...text.matchAll(/^npx .*? (?=openapi-)(\S+) (.*)$/gm)].map(([, tool = '', rest = '']) => [
    tool.replace(/@.*/, ''),
    ...rest
      .split(' ')
      .map((word) => (word.startsWith('http:') ? description : word.replace(/^plant-store/, `${directory}/$&`))),
  ]);
}
