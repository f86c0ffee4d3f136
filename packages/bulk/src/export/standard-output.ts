import { pipeline } from 'node:stream/promises';
import type { Host, Target } from '@plant-store/command-line';

/** Standard output as a target. The reader may close the pipe early, as `head` does. */
export function standardOutput(stdout: Host['stdout']): Target {
  return {
    isTerminal: stdout.isTTY === true,
    async write(text, signal) {
      await pipeline(text, stdout, { signal }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE') throw error;
      });
    },
    async [Symbol.asyncDispose]() {},
  };
}
