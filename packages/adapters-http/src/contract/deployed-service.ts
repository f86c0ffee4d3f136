/** What the HTTP contract is checked against: a service that runs anywhere, seen from outside. */
export interface DeployedService {
  /** `{base_url}` of the interface, `http:` or `https:`, with a path or without one: `https://example.org/garden`. */
  readonly baseUrl: string;

  /** A bearer token that the service accepts. It is in no message of the contract. */
  readonly token: string;

  /** Another token that the service accepts. Leave it out where there is one only. */
  readonly otherToken?: string;
}

/** How long any answer may take, in milliseconds: longer than a store may keep its callers waiting, and no hang. */
export const ANSWER_WITHIN_MS = 5_000;

/** The target of a request for a path below the base address, in origin-form (RFC 9112 section 3.2.1). */
export function targetOf(service: DeployedService, path: string): string {
  return new URL(service.baseUrl).pathname.replace(/\/+$/, '') + path;
}

/** Takes the secrets out of a text and shortens it, so that a message can hold it. */
export function printable({ token, otherToken = token }: DeployedService, text: string): string {
  const masked = [token, otherToken, encodeURIComponent(token)]
    .reduce((masking, secret) => masking.replaceAll(secret, '<token>'), text)
    // What stands in the place of the token may be most of it.
    .replace(/(authorization"?:[ \t]*"?\w+[ \t]+)(?!<token>(?:[\r\n,"]|$))([^\r\n,]+)/gi, '$1<something else>');
  if (masked.length <= 400) return masked;
  return `${masked.slice(0, 250)} … (${masked.length} characters) … ${masked.slice(-100)}`;
}
