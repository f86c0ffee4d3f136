/** Paths below the base URL that resemble /plants, or that other services have. */
export const otherPaths: readonly string[] = [
  '/',
  '/plant',
  '/plantss',
  '/Plants',
  '/PLANTS',
  '/plants/',
  '/plants//',
  '/plants/1',
  '//plants',
  '/x/plants',
  '/plants/plants',
  '/plants.json',
  '/plants;x=1',
  '/plants%2F',
  '/plants%00',
  '/plants%20',
  '/plants%3Fx=1',
  '/v1/plants',
  '/health',
  '/metrics',
  '/favicon.ico',
  '/__proto__',
  '/constructor',
  `/${'x'.repeat(1_000)}`,
];

/** Queries, which the operation does not have. */
export const queries: readonly string[] = [
  '',
  'x',
  'id=7&name=n',
  'x=%',
  '?',
  'a[__proto__]=1',
  '__proto__=1',
  `x=${'y'.repeat(4_000)}`,
];

/** Methods that are registered with IANA, and PURGE. */
export const otherMethods: readonly string[] = [
  'GET',
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'MKCOL',
  'PURGE',
  'QUERY',
];

/** Request lines whose target is invalid (RFC 9112 section 3.2). */
export const badTargets: readonly string[] = [
  'CONNECT example.org:443 HTTP/1.1',
  'CONNECT /plants HTTP/1.1',
  'POST plants HTTP/1.1',
  'POST * HTTP/1.1',
  'POST ? HTTP/1.1',
  'POST ftp://example.org/plants HTTP/1.1',
  'POST http:///plants HTTP/1.1',
  'POST http: HTTP/1.1',
  'POST \\plants HTTP/1.1',
  'POST /plants#x HTTP/1.1',
  'POST /% HTTP/1.1',
  'POST /%E0%A4%A HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'GET * HTTP/1.1',
];
