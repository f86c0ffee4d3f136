import type { DeployedService } from '../deployed-service.ts';

/** What the message of an Error record lacks, as the end of a sentence; undefined if it is fine. */
export function faultOfMessage(
  { token, baseUrl }: DeployedService,
  message: string,
  naming: readonly string[],
): string | undefined {
  if (message.trim() === '') return 'is not empty';
  const unnamed = naming.filter((field) => !new RegExp(`\\b${field}\\b`).test(message));
  if (unnamed.length > 0) return `names ${unnamed.join(' and ')}`;
  if (message.includes(token)) return 'does not contain the token';
  const { hostname } = new URL(baseUrl);
  // A host name of one word, «plants», may well be in a message as a word.
  if (/[.:]|localhost/.test(hostname) && message.includes(hostname)) return 'does not contain the host name';
  return internals.find(([pattern]) => pattern.test(message))?.[1];
}

const internals: readonly (readonly [RegExp, string])[] = [
  [/\n\s*at |\bat \S+ \(/, 'contains no stack'],
  [/\bnode_modules\b|\bnode:|(?:\/[\w.@-]+){2,}|[A-Z]:\\|\.[cm]?[jt]s\b/, 'contains no file path'],
  [/\b(?:select|insert|update|delete)\b.*\b(?:from|into|set|where)\b|\bsqlstate\b/is, 'contains no SQL'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}\b|\bE(?:CONN|ADDR|HOST|NET)[A-Z]+\b/, 'contains no host'],
  [/\b(?:FST_|ERR_|HPE_)\w+/, 'contains no internal error code'],
];
