import { writeSync } from 'node:fs';

/** Lines on their way to whoever reads the log. */
export interface LogBuffer {
  /** @param urgent writes it at once, after the lines before it. */
  write(line: string, urgent: boolean): void;
  /** The number of lines dropped so far. */
  droppedLines(): number;
  /** Writes what waits, as at exit, and holds nothing of the process any more. For who opens several, as tests do. */
  close(): void;
}

/** Where lines go. Neither may block. */
export interface LogOutput {
  /** A file descriptor. */
  readonly fd: number;
  /**
   * Called with the number of lines dropped since the last call, once the reader has caught up with half of the buffer.
   * @param code why they could not be written, such as `ENOSPC`; undefined if they were not read in time.
   */
  readonly onDropped: (lines: number, code?: string) => void;
  /** Called instead when the process exits: what was dropped since, and what the reader did not take in time. */
  readonly onDroppedAtExit: (lines: number, code?: string) => void;
}

/**
 * Buffers lines: one write for each costs more than the rest of logging. They are written when 4,096 bytes are together,
 * with every urgent line, and after {@link FLUSH_MS}. What the reader does not take at once waits, up to `maxBytes`; lines
 * beyond that are dropped, and all of them if nobody reads any more. At exit the reader has {@link EXIT_MS} to take the
 * rest. If the process dies without an exit event (SIGKILL, out of memory), the lines that wait are lost.
 *
 * Not pino's destination: at exit, sonic-boom 4.2 (`flushSync`) tries forever to write what nobody reads, whatever the
 * error is; before that, it waits 100 ms whenever the reader is behind.
 */
export function logBuffer(maxBytes: number, { fd, onDropped, onDroppedAtExit }: LogOutput): LogBuffer {
  /** One write each; the first one may be the rest of a chunk that was taken in part. */
  const chunks: Buffer[] = [];
  let chunkBytes = 0;
  /** The lines of the next chunk. */
  let next = '';
  let nextBytes = 0;
  let dropped = 0;
  let reported = 0;
  /** The last reason for which lines were dropped, other than a slow reader, since it was reported. */
  let code: string | undefined;
  /** Whether the reader has taken a part of the first chunk that ends within a line. */
  let isMidLine = false;
  /** Whether the rest of that line was dropped. */
  let isTorn = false;
  let timer: NodeJS.Timeout | undefined;

  process.on('exit', flushAtExit);
  return { write, droppedLines: () => dropped, close };

  function close(): void {
    process.off('exit', flushAtExit);
    flushAtExit();
  }

  function write(line: string, urgent: boolean): void {
    const bytes = Buffer.byteLength(line);
    if (nextBytes + bytes > PIPE_BUF) flush();
    if (chunkBytes + nextBytes + bytes > maxBytes) {
      dropped += 1;
      return;
    }
    next += line;
    nextBytes += bytes;
    if (urgent) flush();
    else timer ??= setTimeout(flush, FLUSH_MS).unref();
  }

  function flush(): void {
    clearTimeout(timer);
    closeChunk();
    let written = 0;
    while (written < CHUNKS_AT_ONCE && writeChunk()) written += 1;
    timer = chunks.length > 0 ? setTimeout(flush, FLUSH_MS).unref() : undefined;
    if (written > 0 && chunkBytes <= maxBytes / 2 && dropped > reported) report(onDropped);
  }

  function flushAtExit(): void {
    clearTimeout(timer);
    closeChunk();
    const deadline = performance.now() + EXIT_MS;
    while (chunks.length > 0 && performance.now() < deadline) if (!writeChunk()) pause(EXIT_RETRY_MS);
    dropAll();
    if (dropped > reported) report(onDroppedAtExit);
  }

  function closeChunk(): void {
    if (nextBytes === 0) return;
    chunks.push(Buffer.from(next));
    chunkBytes += nextBytes;
    next = '';
    nextBytes = 0;
  }

  /** Whether the reader took some of the first chunk. */
  function writeChunk(): boolean {
    const [chunk] = chunks;
    if (!chunk) return false;
    try {
      // Otherwise the next line would be glued to the torn one, and both would be lost to whoever parses the log.
      if (isTorn) writeSync(fd, '\n');
      isTorn = false;
      const bytes = writeSync(fd, chunk);
      isMidLine = chunk[bytes - 1] !== LINE_FEED;
      chunkBytes -= bytes;
      if (bytes < chunk.length) chunks[0] = chunk.subarray(bytes);
      else chunks.shift();
      return true;
    } catch (error) {
      // Nobody reads any more (EPIPE), or the disk is full. The next lines are tried again.
      const { code: reason } = error as NodeJS.ErrnoException;
      if (reason === 'EAGAIN') return false;
      code = reason;
      dropAll();
      return false;
    }
  }

  /** A line of which a part was taken counts as dropped. */
  function dropAll(): void {
    isTorn ||= isMidLine;
    isMidLine = false;
    for (const chunk of chunks.splice(0)) dropped += chunk.toString().split('\n').length - 1;
    chunkBytes = 0;
  }

  function report(to: LogOutput['onDropped']): void {
    const [lines, reason] = [dropped - reported, code];
    reported = dropped;
    code = undefined;
    to(lines, reason);
  }
}

/** Blocks the process: at exit there is no event loop any more. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

const LINE_FEED = 0x0a;

/** 20 ms: too short for a person to notice, and a single request does not pay for a write. */
const FLUSH_MS = 20;

/** 4,096 bytes: a pipe takes a write up to this size as a whole or not at all, so those of several workers never mix (pipe(7)). */
export const PIPE_BUF = 4_096;

/** 16 chunks: what a pipe holds. A reader that keeps up with the writes must not keep the process from its requests. */
const CHUNKS_AT_ONCE = 16;

/** 200 ms: a reader that is there takes 4 MiB in less, and a process that takes 3 s to exit is killed (`serve/exit-guard.ts`). */
const EXIT_MS = 200;

/** 5 ms: how often it is looked whether the reader has taken something. */
const EXIT_RETRY_MS = 5;
