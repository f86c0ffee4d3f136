import { prettyFactory } from 'pino-pretty';
import { printable, printableLines } from '../printable.ts';

const pretty = prettyFactory({ ignore: 'pid,hostname', singleLine: true });

/** Formats a JSON line of the log for a terminal: `[12:15:26.123] INFO: POST /plants 200 2.1 ms l8NpheXK5QOQ-1`. */
export function terminalLine(json: string): string {
  const fields = JSON.parse(json, (name, value) => (typeof value === 'string' ? escaped(name, value) : value));
  return pretty(isRequestLine(fields) ? requestText(fields) : fields);
}

function isRequestLine({ msg }: { msg?: string }): boolean {
  return msg === 'request completed' || msg === 'request aborted';
}

/** Keeps the line feeds of stacks, which are indented. Elsewhere a line feed could forge a log line. */
function escaped(name: string, text: string): string {
  return name === 'stack' ? printableLines(text) : printable(text);
}

/** Puts all fields of a request into its message. */
function requestText({ level, time, method, path, status, error, ms, reqId, reason }: Record<string, unknown>): object {
  const duration = `${Number(ms).toFixed(1)} ms`;
  const parts = [method, path, status ?? 'aborted', error, duration, reqId, reason && `(${reason})`];
  return { level, time, msg: parts.filter((part) => part !== undefined).join(' ') };
}
