import { type LogRequest, REQUEST_ABORTED, REQUEST_COMPLETED } from '@plant-store/http-edge/access-log';
import { cut } from './fit-line.ts';

/**
 * Writes requests that have ended as the JSON lines that pino would write, at a fraction of the cost: 0.2 to 0.4 µs, not 2.1 to
 * 2.6. Paths and reasons are cut, because whoever reaches the service can make them long.
 */
export function requestLines(
  { pid, hostname }: { readonly pid: number; readonly hostname: string },
  write: (line: string) => void,
): LogRequest {
  const process = `"pid":${pid},"hostname":${JSON.stringify(hostname)}`;
  return ({ level, requestId, method, path, status, error, ms, reason, trace }) => {
    // Request IDs, methods and the IDs of traces need no escapes.
    let line = `{"level":${levels[level]},"time":${Date.now()},${process},"reqId":"${requestId}","method":"${method}","path":${JSON.stringify(cut(path, MAX_PATH))}`;
    if (status !== undefined) line += `,"status":${status}`;
    if (error !== undefined) line += `,"error":${error}`;
    line += `,"ms":${ms}`;
    if (reason !== undefined) line += `,"reason":${JSON.stringify(cut(reason, MAX_REASON))}`;
    if (trace) line += `,"trace_id":"${trace.traceId}","span_id":"${trace.spanId}"`;
    write(`${line},"msg":"${status === undefined ? REQUEST_ABORTED : REQUEST_COMPLETED}"}\n`);
  };
}

/** pino's numbers. */
const levels = { info: 30, warn: 40 } as const;

/** 256 characters: every path of this service is shorter, and what was asked for instead is still recognized. */
const MAX_PATH = 256;

/** 512 characters: a few sentences. */
const MAX_REASON = 512;
