import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type EdgeError, edgeError } from './http-error.ts';

/**
 * Knows the routes that are added from now on, and refuses a request that has none, before its body is looked at. The
 * function throws `method-not-allowed`, with `Allow`, if the path has other methods; else `no-such-path`.
 */
export function notFoundOf(app: FastifyInstance): (request: FastifyRequest) => never {
  const methodsOf = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methodsOf.get(url) ?? [];
    methodsOf.set(url, new Set([...known, ...[method].flat()]));
  });

  return ({ url }) => {
    // As the router reads it, which has decoded it without an error.
    const path = decodeURI(url.replace(/^https?:\/\/[^/?]*/i, '').replace(/[?#].*$/s, ''));
    const found = [...methodsOf].filter(([pattern]) => isTaken(path, pattern)).map(([, methods]) => methods);
    throw notFound(app.supportedMethods.filter((method) => found.some((methods) => methods.has(method))));
  };
}

/** @param allowed the methods that the path has. */
export function notFound(allowed: readonly string[]): EdgeError {
  if (allowed.length === 0) return edgeError('no-such-path', 'path not found');
  const allow = allowed.join(', ');
  return edgeError('method-not-allowed', `method not allowed; use ${allow}`, { allow });
}

/** Whether a path is one of those that a pattern of the router takes. A parameter takes its segment, which is not empty. */
function isTaken(path: string, pattern: string): boolean {
  const segments = path.split('/');
  const wanted = pattern.split('/');
  if (wanted.at(-1) === '*' && segments.length > wanted.length) segments.length = wanted.length;
  return (
    wanted.length === segments.length &&
    wanted.every((each, at) => (each.includes(':') ? segments[at] !== '' : each === '*' || each === segments[at]))
  );
}
