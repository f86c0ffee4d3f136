/** What stands in the place of a secret. */
const MASK = '***';

/** A URL without what may be a password: before its host, or among its parameters. Rather too little than too much. */
export function maskedUrl(url: string): string {
  return url
    .replace(/^([^:]+:\/\/[^:@/]*):.*@/s, `$1:${MASK}@`)
    .replace(/([?&][^=&]*(?:pass|secret|key|token|auth)[^=&]*=)[^&]*/gi, `$1${MASK}`);
}

/** How many tokens there are. */
export function maskedTokens(list: string): string {
  return list
    .split(',')
    .map(() => MASK)
    .join(',');
}
