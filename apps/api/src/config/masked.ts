const MASK = '***';

/**
 * Masks a URL: keeps the scheme, the host and the path, and replaces everything else by `***`, because it may be a secret. A URL
 * without a host, such as `sqlite:plants.db`, is unchanged. An invalid URL becomes `***`.
 */
export function maskedUrl(text: string): string {
  const url = URL.parse(text);
  if (!url) return MASK;
  const { protocol, host, pathname, username, password, search, hash } = url;
  if (!/^[^/]*:\/\//.test(url.href)) return /[@?#\\]/.test(text) ? MASK : text;
  return `${protocol}//${username || password ? `${MASK}@` : ''}${host}${pathname}${search || hash ? `?${MASK}` : ''}`;
}

/** Masks a list of tokens. Only their number remains visible. */
export function maskedTokens(list: string): string {
  return list
    .split(',')
    .map(() => MASK)
    .join(',');
}
