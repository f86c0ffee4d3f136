/** Returns the URL of the plants. @throws {TypeError} without the base URL in it, because that may have a password. */
export function plantsUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  // Only user info, a query and a fragment are in neither the origin nor the path.
  if (url && ['http:', 'https:'].includes(url.protocol) && url.href === url.origin + url.pathname)
    return `${url.href.replace(/\/+$/, '')}/plants`;
  throw new TypeError(
    'the base URL must be like https://example.org/garden, with http or https, and no user, password, query or fragment',
  );
}

/** Returns the Authorization header (RFC 6750 section 2.1). @throws {TypeError} without the token in it. */
export function writeAuthorization(token: string): string {
  // The expression matches invalid text, because RegExp.input keeps the last text that matched.
  if (!/^$|[^A-Za-z0-9\-._~+/=]|^=|=[^=]/.test(token)) return `Bearer ${token}`;
  throw new TypeError(
    'the token must have only the characters A-Z a-z 0-9 - . _ ~ + / and = at its end, so remove white space and quotes',
  );
}
