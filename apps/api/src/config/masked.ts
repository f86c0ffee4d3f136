/** Replaces a secret. */
const MASK = '***';

/**
 * A URL as it is read, without anything that may be a secret: a password, the user of an http URL, which may be a token,
 * every value of the query, and the fragment. Masks too much rather than too little: what cannot be read is `***`. What has
 * none of these, such as `sqlite:plants.db`, stays.
 */
export function maskedUrl(url: string): string {
  if (/^[a-z][a-z\d+.-]*:(?!\/\/)[^@?#\\]*$/i.test(url) && !/^https?:/i.test(url)) return url;
  // What URL does not read, such as a user without a host, pg may.
  const read = URL.parse(url)?.href ?? url;
  if (!/^[a-z]+:\/\//.test(read)) return MASK;
  return read
    .replace(/^(https?:\/\/)[^/?#]*@/i, `$1${MASK}@`)
    .replace(/^([^:]+:\/\/[^:@/]*):.*@/s, `$1:${MASK}@`)
    .replace(/#.*/s, `#${MASK}`)
    .replace(/\?([^#]*)/, (_, query: string) => `?${maskedPairs(query)}`);
}

/** Names without their values: `a=***&b=***`. What has no name is masked whole. */
function maskedPairs(query: string): string {
  return query
    .split('&')
    .map((pair) => /^\s*[\w.-]+=/.exec(pair)?.[0] ?? '')
    .map((name) => `${name}${MASK}`)
    .join('&');
}

/** Shows only how many tokens there are. */
export function maskedTokens(list: string): string {
  return list
    .split(',')
    .map(() => MASK)
    .join(',');
}
