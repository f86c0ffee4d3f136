import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import type { BadLine } from '../records/line.ts';
import { StoppedEarly } from '../stopped-early.ts';

/** The lines that were not stored, as NDJSON: `{"line":7,"reason":"…"}`. */
export interface Rejects {
  write(line: BadLine): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the file with the first line that goes there.
 * @param more whether what is there already is kept.
 */
export function openRejects(path: string, more: boolean): Rejects {
  let stream: WriteStream | undefined;
  let failure: Error | undefined;

  function opened(): WriteStream {
    const made = createWriteStream(path, { flags: more ? 'a' : 'w' });
    made.on('error', (error) => {
      failure = error;
    });
    return made;
  }

  function assertWritten(): void {
    if (failure)
      throw new StoppedEarly(`${path} cannot be written (${failure.message}): give another one with --rejects`);
  }

  return {
    async write({ line, reason }) {
      stream ??= opened();
      if (!stream.write(`${JSON.stringify({ line, reason })}\n`)) await once(stream, 'drain').catch(() => {});
      assertWritten();
    },
    async close() {
      if (stream && !failure) {
        stream.end();
        await once(stream, 'finish').catch(() => {});
      }
      assertWritten();
    },
  };
}
