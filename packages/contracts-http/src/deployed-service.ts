/** What the HTTP contract is checked against: a service that runs anywhere, seen from outside. */
export interface DeployedService {
  /** `{base_url}` of the interface, `http:` or `https:`, with a path or without one: `https://example.org/garden`. */
  readonly baseUrl: string;

  /** A bearer token that the service accepts. It is in no message of the contract. */
  readonly token: string;

  /** Another token that the service accepts. Where it is left out, HC-32 is not checked. */
  readonly otherToken?: string;

  /** The largest body that the service is set to accept, in bytes: at least 4,096, 1 MiB where it is left out. */
  readonly bodyLimit?: number;
}

/** How long any answer may take, in milliseconds: longer than a store may keep its callers waiting, and no hang. */
export const ANSWER_WITHIN_MS = 5_000;

/** The target of a request for a path below the base address, in origin-form (RFC 9112 section 3.2.1). */
export function targetOf(service: DeployedService, path: string): string {
  return new URL(service.baseUrl).pathname.replace(/\/+$/, '') + path;
}

/**
 * Makes a text fit for a message: without the secrets, short, and with what cannot be seen written as an escape, \u{feff},
 * and what is repeated very often written once, <0 × 1000000>.
 */
export function printable({ token, otherToken = token }: DeployedService, text: string): string {
  const shown = [token, otherToken, encodeURIComponent(token)]
    .reduce((masking, secret) => masking.replaceAll(secret, '<token>'), text)
    // What stands in the place of the token may be most of it.
    .replace(/(authorization"?:[ \t]*"?\w+[ \t]+)(?!<token>(?:[\r\n,"]|$))([^\r\n,]+)/gi, '$1<something else>')
    .replace(/(.{1,8}?)\1{29,}/gsu, (run, part: string) => `<${part} × ${run.length / part.length}>`)
    .replace(/(?![ \r\n])[\p{C}\p{Z}]/gu, (unseen) => `\\u{${unseen.codePointAt(0)?.toString(16)}}`)
    .replaceAll('\r', '\\r')
    .replaceAll('\n', '\\n');
  if (shown.length <= 400) return shown;
  return `${shown.slice(0, 250)} … (${shown.length} characters) … ${shown.slice(-100)}`;
}
