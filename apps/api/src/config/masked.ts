const MASK = '***';

/**
 * Masks a URL: keeps the scheme, the host, the path and {@link PUBLIC_PARAMETERS}, and replaces everything else by `***`, because it
 * may be a secret. A URL without a host, such as `sqlite:plants.db`, is unchanged, unless it has an `@`. An invalid URL becomes `***`.
 */
export function maskedUrl(text: string): string {
  const url = URL.parse(text);
  if (!url) return MASK;
  const { protocol, host, pathname, username, password, searchParams, hash } = url;
  if (pathname.includes('@')) return MASK;
  if (!/^[^/]*:\/\//.test(url.href)) return /[@?#\\]/.test(text) ? MASK : text;
  const parameters = [...searchParams].map(([name, value]) => isPublic(name, value) && `${name}=${value}`);
  const shown = parameters.filter(Boolean);
  if (shown.length < parameters.length || hash) shown.push(MASK);
  return `${protocol}//${username || password ? `${MASK}@` : ''}${host}${pathname}${shown.length > 0 ? `?${shown.join('&')}` : ''}`;
}

/** The query parameters that are no secret, of the stores of this repository. */
const PUBLIC_PARAMETERS = ['host', 'port', 'prepare', 'ssl', 'sslmode', 'sslnegotiation', 'ssl-mode'];

/** Values are shown decoded, so they must not look like further parameters or lines. `@` may follow a password. */
const isPublic = (name: string, value: string) => PUBLIC_PARAMETERS.includes(name) && /^[\w.:/-]*$/.test(value);

/** Masks a list of tokens. Only their number remains visible. */
export function maskedTokens(list: string): string {
  return list
    .split(',')
    .map(() => MASK)
    .join(',');
}
