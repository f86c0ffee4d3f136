/** Replaces a secret. */
const MASK = '***';

/**
 * Of a URL what cannot be a secret: the scheme, the host and the path, with `***` for what is left out, such as a password. What
 * has no host, such as `sqlite:plants.db`, stays as it is, and what cannot be read is `***`.
 */
export function maskedUrl(text: string): string {
  const url = URL.parse(text);
  if (!url) return MASK;
  const { protocol, host, pathname, username, password, search, hash } = url;
  if (!/^[^/]*:\/\//.test(url.href)) return /[@?#\\]/.test(text) ? MASK : text;
  return `${protocol}//${username || password ? `${MASK}@` : ''}${host}${pathname}${search || hash ? `?${MASK}` : ''}`;
}

/** Shows only how many tokens there are. */
export function maskedTokens(list: string): string {
  return list
    .split(',')
    .map(() => MASK)
    .join(',');
}
