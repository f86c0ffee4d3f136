import type { IncomingMessage } from 'node:http';

/**
 * The path of a request, without its query, which may hold anything, and without the authority of a target in absolute
 * form (RFC 9112 section 3.2.2), which may hold a password.
 */
export function pathOf({ url = '' }: IncomingMessage): string {
  const query = url.indexOf('?');
  const target = query < 0 ? url : url.slice(0, query);
  if (target.startsWith('/')) return target;
  return target.replace(/^[^/]*:\/\/[^/]*/, '') || '/';
}
