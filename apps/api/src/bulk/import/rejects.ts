import { rm } from 'node:fs/promises';
import { printable } from '@plant-store/command-line';
import { openTarget, type Target, type TargetOptions } from '@plant-store/command-line/files';
import type { Place, Rejected } from '../records/line.ts';

/** A line that was rejected, and why. */
export type Reject = Place & Rejected;

/** How the name of a file with rejected lines ends. */
export const REJECTS = '.rejects.ndjson';

/** Opens the file for rejected lines. One of an earlier import, which its name tells, is removed. See {@link openTarget}. */
export async function openRejects(path: string, options: TargetOptions): Promise<Target> {
  // What cannot be removed, such as a directory, is refused by openTarget.
  if (path.endsWith(REJECTS)) await rm(path, { force: true }).catch(() => {});
  return openTarget(path, options);
}

/** Writes rejected lines as NDJSON, `{"line":7,"reason":"…"}`. If there are none, there is no file. */
export async function writeRejects(target: Target, rejects: AsyncGenerator<Reject, void>): Promise<void> {
  const first = await rejects.next();
  if (first.done) return;
  async function* texts(reject: Reject): AsyncGenerator<string, void> {
    yield textOf(reject);
    for await (const next of rejects) yield textOf(next);
  }
  function textOf({ line, reason }: Reject): string {
    const json = JSON.stringify({ line, reason });
    // It stays the same JSON.
    return `${target.isTerminal ? printable(json) : json}\n`;
  }
  await target.write(texts(first.value));
}
