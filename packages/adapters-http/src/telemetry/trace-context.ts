import type { IncomingHttpHeaders } from 'node:http';

/** Where a request stands in a distributed trace (W3C Trace Context, level 1). */
export interface TraceContext {
  /** 32 lower-case hexadecimal digits, not all zero. */
  readonly traceId: string;
  /** The caller's span, or the service's own: 16 lower-case hexadecimal digits, not all zero. */
  readonly spanId: string;
  /** The `trace-flags`; bit 0 says that the caller may have recorded its span. */
  readonly flags: number;
  /** The `tracestate` header as it came, for vendors. */
  readonly state?: string;
}

const syntax = /^([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/**
 * Reads the `traceparent` header, and `tracestate` with it.
 *
 * @returns undefined where there is none, or one that is to be ignored (section 3.2.2): a malformed one, several, one of
 *   version ff, ids of zeros, and in version 00 anything behind the flags.
 */
export function traceContextOf({ traceparent, tracestate }: IncomingHttpHeaders): TraceContext | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const [, version, traceId, spanId, flags, rest] = syntax.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  const context = { traceId, spanId, flags: Number.parseInt(flags, 16) };
  return typeof tracestate === 'string' ? { ...context, state: tracestate } : context;
}
