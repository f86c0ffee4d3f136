import type { IncomingHttpHeaders } from 'node:http';

/** Where a request stands in a distributed trace (W3C Trace Context, level 1). */
export interface TraceContext {
  /** 32 lower-case hexadecimal digits, not all zero. */
  readonly traceId: string;
  /** The client's span, or the service's own: 16 lower-case hexadecimal digits, not all zero. */
  readonly spanId: string;
  /** The `trace-flags`; bit 0 says that the client may have recorded its span. */
  readonly flags: number;
  /** The `tracestate` header as received, for vendors. */
  readonly state?: string;
}

/** The service's part in the trace of a request. */
export interface RequestSpan {
  readonly context: TraceContext;
  /** Traces a part of the request. Returns, and throws, what the work does. */
  part<T>(name: string, work: () => Promise<T>): Promise<T>;
  /**
   * @param status undefined if the connection was closed before the response had been read.
   * @param isCutOff whether the service closed it, not the client.
   */
  end(status: number | undefined, isCutOff: boolean): void;
}

const syntax = /^([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/**
 * Reads the `traceparent` header, and `tracestate` with it.
 *
 * @returns undefined if there is none, or one that must be ignored (section 3.2.2): a malformed one, several, version ff,
 *   IDs of zeros, and in version 00 anything behind the flags.
 */
export function traceContextOf({ traceparent, tracestate }: IncomingHttpHeaders): TraceContext | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const [, version, traceId, spanId, flags, rest] = syntax.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  const context = { traceId, spanId, flags: Number.parseInt(flags, 16) };
  return typeof tracestate === 'string' ? { ...context, state: tracestate } : context;
}
