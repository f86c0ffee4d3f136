/** What the HTTP contract is checked against: a service that runs anywhere, seen from outside. */
export interface DeployedService {
  /** `{base_url}` of the interface, `http:` or `https:`, with or without a path: `https://example.org/garden`. */
  readonly baseUrl: string;

  /** A bearer token that the service accepts. No message of the contract contains it. */
  readonly token: string;

  /** Another token that the service accepts. Without it, HC-20 is not checked. */
  readonly otherToken?: string;

  /** The largest body that the service is set to accept, in bytes: 4,096 to 64 MiB, since more is sent; 64 KiB by default. */
  readonly bodyLimit?: number;

  /**
   * How long it waits for a request, in milliseconds: 5,000 for the head and 10,000 for the whole by default. The whole is
   * longer than the head. A service notices a fifth of `head` later at most.
   */
  readonly timeOuts?: { readonly head: number; readonly request: number };
}

/** The largest body that the service accepts, in bytes: 64 KiB by default. */
export function bodyLimitOf({ bodyLimit = 2 ** 16 }: DeployedService): number {
  return bodyLimit;
}

/** How many bytes a check may add to a plant, so that the service has to accept it: 1 MiB at most, as it may be stored. */
export function roomIn(service: DeployedService): number {
  return Math.min(bodyLimitOf(service), 2 ** 20) - 200;
}

/** The target of a request for a path below the base URL, in origin-form (RFC 9112 section 3.2.1). */
export function targetOf(service: DeployedService, path: string): string {
  return new URL(service.baseUrl).pathname.replace(/\/+$/, '') + path;
}

/**
 * Makes a text fit for a message: without the secrets, short, with all but ASCII as escapes, \u{feff}, and with long
 * repetitions written once, <0 × 1000000>.
 */
export function printable({ token, otherToken = token }: DeployedService, text: string): string {
  const shown = [token, otherToken, encodeURIComponent(token)]
    .reduce((masking, secret) => masking.replaceAll(secret, '<token>'), text)
    // What is sent instead of the token may be most of it.
    .replace(/(authorization"?:[ \t]*"?\w+[ \t]+)(?!<token>(?:[\r\n,"]|$))([^\r\n,]+)/gi, '$1<something else>')
    .replace(/[^\n\r\x20-\x7e]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
    .replace(/(.{1,16}?)\1{29,}/gs, (run, part: string) => `<${part} × ${run.length / part.length}>`)
    .replaceAll('\r', '\\r')
    .replaceAll('\n', '\\n');
  if (shown.length <= 400) return shown;
  return `${shown.slice(0, 250)} … (${shown.length} characters) … ${shown.slice(-100)}`;
}
