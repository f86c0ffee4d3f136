/** What the HTTP contract is checked against: a service that runs anywhere, seen from outside. */
export interface DeployedService {
  /** `{base_url}` of the interface, `http:` or `https:`, with or without a path: `https://example.org/garden`. */
  readonly baseUrl: string;

  /** A bearer token that the service accepts. No message of the contract contains it. */
  readonly token: string;

  /** Another token that the service accepts. Without it, HC-32 is not checked. */
  readonly otherToken?: string;

  /** The largest body that the service is set to accept, in bytes: at least 4,096; 64 KiB by default. */
  readonly bodyLimit?: number;

  /** How long it waits for a request, in milliseconds: 5,000 for the head and 10,000 for the whole by default. */
  readonly timeOuts?: TimeOuts;
}

/** In milliseconds, the whole request longer than its head. A service notices a fifth of `head` later at most. */
export interface TimeOuts {
  readonly head: number;
  readonly request: number;
}

/** How long a slow request may last, in milliseconds, before the service has closed it: it looks for them in time. */
export function closedAfter({ timeOuts = defaults }: DeployedService, waitsFor: keyof TimeOuts): number {
  return timeOuts[waitsFor] + timeOuts.head / 5;
}

/** What the service waits for, in milliseconds. */
export function timeOutOf({ timeOuts = defaults }: DeployedService, waitsFor: keyof TimeOuts): number {
  return timeOuts[waitsFor];
}

/** Those that the titles of the clauses name. */
const defaults: TimeOuts = { head: 5_000, request: 10_000 };

/** How long any response may take, in milliseconds: longer than a store may take, but not a hang. */
export const RESPONSE_TIMEOUT_MS = 5_000;

/**
 * How long a response may be, in bytes, so that none fills the memory of whoever checks: 1 MiB, seventy times the description,
 * and six bytes for each one sent, since a response may repeat a text and write each character as `\u0061`.
 */
export function largestResponse(sentBytes = 0): number {
  return 2 ** 20 + 6 * sentBytes;
}

/** The target of a request for a path below the base URL, in origin-form (RFC 9112 section 3.2.1). */
export function targetOf(service: DeployedService, path: string): string {
  return new URL(service.baseUrl).pathname.replace(/\/+$/, '') + path;
}

/**
 * Makes a text fit for a message: without the secrets, short, with invisible characters as escapes, \u{feff}, and with long
 * repetitions written once, <0 × 1000000>.
 */
export function printable({ token, otherToken = token }: DeployedService, text: string): string {
  const shown = [token, otherToken, encodeURIComponent(token)]
    .reduce((masking, secret) => masking.replaceAll(secret, '<token>'), text)
    // What is sent instead of the token may be most of it.
    .replace(/(authorization"?:[ \t]*"?\w+[ \t]+)(?!<token>(?:[\r\n,"]|$))([^\r\n,]+)/gi, '$1<something else>')
    .replace(/(.{1,8}?)\1{29,}/gsu, (run, part: string) => `<${part} × ${run.length / part.length}>`)
    .replace(/(?![ \r\n])[\p{C}\p{Z}]/gu, (invisible) => `\\u{${invisible.codePointAt(0)?.toString(16)}}`)
    .replaceAll('\r', '\\r')
    .replaceAll('\n', '\\n');
  if (shown.length <= 400) return shown;
  return `${shown.slice(0, 250)} … (${shown.length} characters) … ${shown.slice(-100)}`;
}
