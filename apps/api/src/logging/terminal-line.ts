import { REQUEST_COMPLETED } from '@plant-store/adapters-http';
import { prettyFactory } from 'pino-pretty';

const pretty = prettyFactory({ ignore: 'pid,hostname', singleLine: true });

/** A JSON line of the log for a person at a terminal: `[12:15:26.123] INFO: POST /plants 200 2.1 ms l8NpheXK5QOQ-1`. */
export function terminalLine(json: string): string {
  const fields = JSON.parse(json, (_, value) => (typeof value === 'string' ? visible(value) : value));
  return pretty(fields.msg === REQUEST_COMPLETED ? oneText(fields) : fields);
}

/** Everything about a request, in its message. */
function oneText({ level, time, method, path, status, error, ms, reqId, reason }: Record<string, unknown>): object {
  const parts = [method, path, status, error, `${Number(ms).toFixed(1)} ms`, reqId, reason && `(${reason})`];
  return { level, time, msg: parts.filter((part) => part !== undefined).join(' ') };
}

/** Escapes what would control the terminal, or turn the direction of the text. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_C}]/gu, (character) =>
    character === '\n' ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
