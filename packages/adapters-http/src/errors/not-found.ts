import type { FastifyRequest } from 'fastify';
import { RequestFailure } from './http-error.ts';

/**
 * Refuses a request that no route takes, before its body is looked at.
 *
 * @throws {RequestFailure} `method-not-allowed`, with `Allow`, where the path has other methods; else `no-such-path`.
 */
export function refuseAddress({ url, server }: FastifyRequest): never {
  const path = url.split('?', 1)[0] ?? '';
  // The router would take these for patterns, and throw for some: no path here has them.
  const methods = /[:*]/.test(path) ? [] : server.supportedMethods;
  const allowed = methods.filter((method) => server.hasRoute({ method, url: path }));
  if (allowed.length === 0) throw new RequestFailure('no-such-path', 'there is nothing at this path');
  const allow = allowed.join(', ');
  throw new RequestFailure('method-not-allowed', `this path can be used with ${allow} only`, { allow });
}
