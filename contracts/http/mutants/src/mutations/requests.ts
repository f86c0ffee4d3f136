import type { IncomingMessage, RequestListener } from 'node:http';
import type { Mutation } from '../mutation.ts';
import { onServer } from './server.ts';

/** Changes every request, with an expectation or without, before the service reads it. */
export function rewriteRequest(rewrite: RequestListener): Mutation {
  const events = ['request', 'checkContinue', 'checkExpectation'] as const;
  return onServer((server) => events.forEach((event) => void server.prependListener(event, rewrite)));
}

/** Changes one header of every request; undefined removes it. */
export function rewriteHeader(
  name: string,
  rewrite: (value: string | undefined, request: IncomingMessage) => string | undefined,
): Mutation {
  return rewriteRequest((request) => {
    const value = rewrite(request.headers[name] as string | undefined, request);
    if (value === undefined) delete request.headers[name];
    else request.headers[name] = value;
  });
}

/** Changes the target of every request. */
export function rewriteTarget(rewrite: (target: string) => string): Mutation {
  return rewriteRequest((request) => {
    request.url = rewrite(request.url ?? '');
  });
}

/** Of several headers of the same name only the first is seen. */
export function keepFirst(name: string): Mutation {
  return rewriteRequest(({ headers, rawHeaders }) => {
    const [first, ...others] = [...rawHeaders.keys()].filter(
      (at) => at % 2 === 0 && rawHeaders[at]?.toLowerCase() === name,
    );
    if (first === undefined) return;
    headers[name] = rawHeaders[first + 1];
    for (const at of others.reverse()) rawHeaders.splice(at, 2);
  });
}
