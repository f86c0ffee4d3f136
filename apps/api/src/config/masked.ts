/** Replaces a secret. */
const MASK = '***';

/** A URL without anything that may be a password, before the host or among the parameters. Masks too much rather than too little. */
export function maskedUrl(url: string): string {
  return url
    .replace(/^([^:]+:\/\/[^:@/]*):.*@/s, `$1:${MASK}@`)
    .replace(/([?&][^=&]*(?:pass|secret|key|token|auth)[^=&]*=)[^&]*/gi, `$1${MASK}`);
}

/** Shows only how many tokens there are. */
export function maskedTokens(list: string): string {
  return list
    .split(',')
    .map(() => MASK)
    .join(',');
}
