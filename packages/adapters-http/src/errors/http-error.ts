import type { FailureKind } from './catalogue.ts';

/** A request is answered with an Error record. The message goes to the caller: it holds nothing that came in. */
export class RequestFailure extends Error {
  override readonly name = 'RequestFailure';
  readonly kind: FailureKind;
  /** Headers that this kind of answer must have besides the usual ones, such as `WWW-Authenticate`. */
  readonly headers: Readonly<Record<string, string>>;
  /** What only the operator is told, in the request's line in the log. */
  readonly reason: string | undefined;

  constructor(kind: FailureKind, message: string, headers: Readonly<Record<string, string>> = {}, reason?: string) {
    super(message);
    this.kind = kind;
    this.headers = headers;
    this.reason = reason;
  }
}

/** The headers of a failure that passes by itself: the same request is worth sending again in a second. */
export const retrySoon: Readonly<Record<string, string>> = { 'retry-after': '1' };
