import type { Answer } from './answer.ts';
import { broken, jsonObjectIn } from './expectations.ts';
import type { PublishedDescription } from './published-description.ts';

/** Where the answers to the one operation are described, by their status. */
export const toThePlants: readonly string[] = ['paths', '/plants', 'post', 'responses'];

/** Where the answers to everything else are described: OpenAPI has no other place for them. */
export const toAnythingElse: readonly string[] = ['components', 'responses'];

/**
 * The answer must be one that is described there: its status, its media type, the headers that it must have, its body by
 * the schema, and the number of an error by the examples, one of which is there for each number.
 */
export function expectDescribed({ at, faultOf }: PublishedDescription, answer: Answer, where: readonly string[]): void {
  const response = [...where, String(answer.status)];
  if (at(...response) === undefined)
    broken(answer, `one of the statuses described: ${Object.keys(at(...where) ?? {}).join(', ')}`);

  for (const name of Object.keys(at(...response, 'headers') ?? {})) {
    if (at(...response, 'headers', name, 'required') === true && !answer.headers.has(name))
      broken(answer, `the header ${name}, described as required`);
  }

  const content = [...response, 'content', 'application/json'];
  const body = jsonObjectIn(answer, 'a JSON object as application/json, as described');
  const fault = faultOf(body, ...content, 'schema');
  if (fault) broken(answer, `a body of the schema described; ${fault}`);

  if (answer.status === 200) return;
  const examples = Object.keys(at(...content, 'examples') ?? {});
  if (!examples.some((name) => at(...content, 'examples', name, 'value', 'error') === body['error']))
    broken(answer, 'an error whose number is described');
}
