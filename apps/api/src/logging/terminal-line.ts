import { prettyFactory } from 'pino-pretty';
import { printable, printableLines } from '../printable.ts';

const pretty = prettyFactory({ ignore: 'pid,hostname', singleLine: true });

/** A JSON line of the log for a person at a terminal: `[12:15:26.123] INFO: POST /plants 200 2.1 ms l8NpheXK5QOQ-1`. */
export function terminalLine(json: string): string {
  const fields = JSON.parse(json, (name, value) => (typeof value === 'string' ? shown(name, value) : value));
  return pretty(isOfRequest(fields) ? oneText(fields) : fields);
}

function isOfRequest({ msg }: { msg?: string }): boolean {
  return msg === 'request completed' || msg === 'request aborted';
}

/** Only a stack has several lines, which are indented: a line feed elsewhere would make what follows look like a line of ours. */
function shown(name: string, text: string): string {
  return name === 'stack' ? printableLines(text) : printable(text);
}

/** Everything about a request, in its message. */
function oneText({ level, time, method, path, status, error, ms, reqId, reason }: Record<string, unknown>): object {
  const duration = `${Number(ms).toFixed(1)} ms`;
  const parts = [method, path, status ?? 'aborted', error, duration, reqId, reason && `(${reason})`];
  return { level, time, msg: parts.filter((part) => part !== undefined).join(' ') };
}
