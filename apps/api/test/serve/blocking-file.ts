import { execFileSync } from 'node:child_process';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { type OnTestFinished, scratchDirectory } from '../running-service.ts';

/** A pipe in place of a file: reading it blocks a thread, as a file on an unreachable network file system does. */
export async function blockingFile(onTestFinished: OnTestFinished): Promise<string> {
  const path = join(await scratchDirectory(onTestFinished), 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
}

/** Resolves once the service is reading it; what it reads is written to the returned end, and ends when that is closed. */
export async function isRead(path: string, onTestFinished: OnTestFinished): Promise<FileHandle> {
  const end = await open(path, 'w');
  onTestFinished(() => end.close());
  return end;
}
