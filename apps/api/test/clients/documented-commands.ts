import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (name: string) => readFileSync(join(import.meta.dirname, '../../../../docs', name), 'utf8');
const page = read('generated-clients.md');

/** The serializer for large ids, as it stands in that page. */
export const documentedSerializer: string = /^```ts\n((?:(?!^```$).)*JSON\.rawJSON.*?)^```$/ms.exec(page)?.[1] ?? '';

/** What makes every `JSON.stringify` exact, as it stands in that page. */
export const documentedToJson: string = /^```js\n(BigInt\.prototype\.toJSON.*?)^```$/ms.exec(page)?.[1] ?? '';

/** The client with retries, as it stands in the page for callers. */
export const documentedClient: string = /^```js\n(const wait = .*?)^```$/ms.exec(read('http-api.md'))?.[1] ?? '';

/** The generator's command line in that page, from the name of the generator on, with this description. */
export function documentedCommand(description: string): readonly string[] {
  const [, tool = '', rest = ''] = /^npx -y (openapi-typescript)@\S+ (.*)$/m.exec(page) ?? [];
  return [tool, ...rest.split(' ').map((word) => (word.startsWith('http:') ? description : word))];
}
