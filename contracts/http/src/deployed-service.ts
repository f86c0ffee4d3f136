/** A running service that the HTTP contract is checked against. */
export interface DeployedService {
  /** The base URL of the interface, `http:` or `https:`, with or without a path: `https://example.org/garden`. */
  readonly baseUrl: string;

  /** A bearer token that the service accepts. Messages do not contain it. */
  readonly token: string;

  /** Another token that the service accepts. Without it, HC-20 is not checked. */
  readonly otherToken?: string;

  /** The body limit of the service in bytes, 4,096 to 64 MiB; 64 KiB by default. */
  readonly bodyLimit?: number;

  /**
   * The time-outs of the service in milliseconds: 5,000 for the head and 10,000 for the whole request by default. They take
   * effect at most a fifth of `head` later.
   */
  readonly timeOuts?: { readonly head: number; readonly request: number };
}

/** The body limit of a service by default, in bytes. */
export const DEFAULT_BODY_LIMIT = 2 ** 16;

/** The body limit of the service in bytes. */
export function bodyLimitOf({ bodyLimit = DEFAULT_BODY_LIMIT }: DeployedService): number {
  return bodyLimit;
}

/** How many bytes a check may add to a plant within the body limit. At most 1 MiB, because the plant may be stored. */
export function maxPadding(service: DeployedService): number {
  return Math.min(bodyLimitOf(service), 2 ** 20) - 200;
}

/** The target of a path below the base URL, in origin-form (RFC 9112 section 3.2.1). */
export function targetOf(service: DeployedService, path: string): string {
  return new URL(service.baseUrl).pathname.replace(/\/+$/, '') + path;
}

/**
 * A text for a message: short, without secrets, with escapes for all but ASCII, \u{feff}, and with long repetitions written
 * once, <0 × 1000000>.
 */
export function printable({ token, otherToken = token }: DeployedService, text: string): string {
  const shown = [token, otherToken, encodeURIComponent(token)]
    .reduce((masking, secret) => masking.replaceAll(secret, '<token>'), text)
    // A wrong token may be most of the token.
    .replace(/(authorization"?:[ \t]*"?\w+[ \t]+)(?!<token>(?:[\r\n,"]|$))([^\r\n,]+)/gi, '$1<something else>')
    .replace(/[^\n\r\x20-\x7e]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
    .replace(/(.{1,16}?)\1{29,}/gs, (run, part: string) => `<${part} × ${run.length / part.length}>`)
    .replaceAll('\r', '\\r')
    .replaceAll('\n', '\\n');
  if (shown.length <= 400) return shown;
  return `${shown.slice(0, 250)} … (${shown.length} characters) … ${shown.slice(-100)}`;
}
