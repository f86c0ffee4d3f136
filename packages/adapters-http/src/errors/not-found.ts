import type { FastifyRequest } from 'fastify';
import { exchangeOf } from '../exchange/exchange.ts';
import { HttpError } from './http-error.ts';

/**
 * Refuses a request that has no route, before its body is looked at.
 *
 * @throws {HttpError} `method-not-allowed`, with `Allow`, if the path has other methods; else `no-such-path`.
 */
export function refuseNotFound({ raw, server }: FastifyRequest): never {
  const { path } = exchangeOf(raw);
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
