import type { Readable, Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';

/** The parts of the process that a command uses. Tests replace them. */
export interface Host {
  readonly stdin: Readable;
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & Pick<WriteStream, 'isTTY'>;
  on(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): unknown;
  off(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): unknown;
  /** The exit code if the command ends by itself, or calls `exit` without a code. */
  exitCode?: number | string | null | undefined;
  /** Ends the process at once. */
  exit(code?: number): void;
}
