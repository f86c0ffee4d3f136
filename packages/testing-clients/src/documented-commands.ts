import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const page = readFileSync(join(import.meta.dirname, '../../../docs/clients.md'), 'utf8');

/** The serializer of docs/clients.md, as it stands there. */
export const documentedSerializer: string = /^```ts\n(.*?)^```$/ms.exec(page)?.[1] ?? '';

/** What docs/clients.md has in `openapi-ts.config.mjs`. */
export const documentedConfig: string = /^```js\n(.*?)^```$/ms.exec(page)?.[1] ?? '';

/** The generators' command lines in docs/clients.md, each from the name of the generator on, with this description. */
export function documentedCommands(description: string): readonly (readonly string[])[] {
  return [...page.matchAll(/^npx .*? (?=openapi-)(\S+) (.*)$/gm)].map(([, tool = '', rest = '']) => [
    tool.replace(/@.*/, ''),
    ...rest.split(' ').map((word) => (word.startsWith('http:') ? description : word)),
  ]);
}
