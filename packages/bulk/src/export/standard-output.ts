import { pipeline } from 'node:stream/promises';
import type { Host } from '@plant-store/command-line';
import type { Target } from '@plant-store/command-line/files';

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
