import type { FastifyRequest } from 'fastify';
import { HttpError } from './http-error.ts';

/**
 * Refuses a request that has no route, before its body is looked at.
 *
 * @throws {HttpError} `method-not-allowed`, with `Allow`, if the path has other methods; else `no-such-path`.
 */
export function refuseNotFound({ url, server }: FastifyRequest): never {
  // As the router reads it, which has decoded it without an error.
  const path = decodeURI(url.replace(/^https?:\/\/[^/?]*/i, '').replace(/[?#].*$/s, ''));
  // The router would take these for patterns, and throw for some; no path here has them.
  const methods = /[:*]/.test(path) ? [] : server.supportedMethods;
  const allowed = methods.filter((method) => server.hasRoute({ method, url: path }));
  throw notFound(allowed);
}

/** @param allowed the methods that the path has. */
export function notFound(allowed: readonly string[]): HttpError {
  if (allowed.length === 0) return new HttpError('no-such-path', 'path not found');
  const allow = allowed.join(', ');
  return new HttpError('method-not-allowed', `method not allowed; use ${allow}`, { allow });
}
