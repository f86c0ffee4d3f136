import type { IncomingMessage } from 'node:http';

/** The path of a request, without its query, which may hold anything. */
export function pathOf({ url = '' }: IncomingMessage): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}
