import type { IncomingMessage } from 'node:http';
import type { Mutation } from '../mutation.ts';

/** Changes the head of every request before the service looks at it. */
export function rewriteRequest(rewrite: (request: IncomingMessage) => void): Mutation {
  return { server: ({ server }) => void server.prependListener('request', rewrite) };
}

/** Changes one header of every request; undefined takes it away. */
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

/** Only one of several headers of the same name is seen, or only if their values match. */
export function keepOne(
  name: string,
  which: 'first' | 'last',
  where: (values: readonly (string | undefined)[]) => boolean = () => true,
): Mutation {
  return rewriteRequest(({ headers, rawHeaders }) => {
    const at = [...rawHeaders.keys()].filter((index) => index % 2 === 0 && rawHeaders[index]?.toLowerCase() === name);
    const chosen = which === 'first' ? at[0] : at.at(-1);
    if (chosen === undefined || !where(at.map((index) => rawHeaders[index + 1]))) return;
    headers[name] = rawHeaders[chosen + 1];
    for (const index of at.reverse()) if (index !== chosen) rawHeaders.splice(index, 2);
  });
}
