import type { Readable, Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';

/** What a command has of its process. Tests run commands on another one. */
export interface Host {
  readonly stdin: Readable;
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & Pick<WriteStream, 'isTTY'>;
  on(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): unknown;
  off(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): unknown;
  /** The exit code of a command that ends by itself, or exits without another. */
  exitCode?: number | string | null | undefined;
  /** Ends the process at once. */
  exit(code?: number): void;
}
