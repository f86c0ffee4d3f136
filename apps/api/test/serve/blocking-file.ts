import { execFileSync } from 'node:child_process';
import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type OnTestFinished, scratchDirectory, TOKEN } from '../running-service.ts';

/** A file of tokens whose file system may become unreachable. */
export interface BlockingFile {
  /** Of the service that reads it. */
  readonly environment: Record<string, string>;
  /** From now on, reading it blocks a thread of the service, or only of the worker with this number. */
  block(worker?: number): void;
  /** Resolves once it is being read. */
  isRead(): Promise<void>;
}

/** A file of tokens that is read from a pipe without a writer once it is blocked, before the service starts or later. */
export async function blockingFile(onTestFinished: OnTestFinished): Promise<BlockingFile> {
  const path = join(await scratchDirectory(onTestFinished), 'tokens');
  await writeFile(path, TOKEN);
  const preload = join(path, '../preload.mjs');
  await writeFile(preload, preloaded(path));
  let pipe = path;
  return {
    environment: { API_TOKENS: '', API_TOKENS_FILE: path, NODE_OPTIONS: `--import=${preload}` },
    block(worker) {
      pipe = `${path}.${worker}`;
      execFileSync('mkfifo', [pipe]);
    },
    async isRead() {
      const end: FileHandle = await open(pipe, 'w');
      onTestFinished(() => end.close());
    },
  };
}

/** Only opening the file of tokens is replaced: the service itself does not read pipes. */
function preloaded(path: string): string {
  return `
import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const path = ${JSON.stringify(path)};
const pipe = path + '.' + process.env.PLANT_STORE_WORKER;
const { open } = fs;
fs.open = async (file, ...rest) => {
  if (file === path && existsSync(pipe)) await fs.readFile(pipe);
  return open(file, ...rest);
};
syncBuiltinESMExports();
`;
}
