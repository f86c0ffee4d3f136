import type { HttpResponse } from '../http/http-response.ts';
import { fail, jsonObjectIn } from './expectations.ts';
import type { PublishedDescription } from './published-description.ts';

/**
 * The response must be as described there: its status, its media type, the required headers, its body by the schema without
 * a member more, and the number of an error by the examples, which have one for each number.
 */
export function expectDescribed(
  { at, faultOfResponse }: PublishedDescription,
  response: HttpResponse,
  where: readonly string[],
): void {
  const described = [...where, String(response.status)];
  if (at(...described) === undefined)
    fail(response, `one of the statuses described: ${Object.keys(at(...where) ?? {}).join(', ')}`);

  for (const name of Object.keys(at(...described, 'headers') ?? {})) {
    if (at(...described, 'headers', name, 'required') === true && !response.headers.has(name.toLowerCase()))
      fail(response, `the header ${name}, described as required`);
  }

  const content = [...described, 'content', 'application/json'];
  const body = jsonObjectIn(response, 'a JSON object as application/json, as described');
  const fault = faultOfResponse(body, ...content, 'schema');
  if (fault) fail(response, `a body of the schema described; ${fault}`);

  if (response.status === 200) return;
  const examples = Object.keys(at(...content, 'examples') ?? {});
  if (!examples.some((name) => at(...content, 'examples', name, 'value', 'error') === body['error']))
    fail(response, 'an error whose number is described');
}
