import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scratchDirectory } from '@plant-store/testing';
import { expect, onTestFinished, test } from 'vitest';
import { makeServerHome } from '../src/postgres/server-home.ts';

test.runIf(process.geteuid?.() === 0)(
  'the server of root has a user who can run its programs, whatever umask they were installed with',
  async () => {
    const native = join(await scratchDirectory(onTestFinished), 'native');
    await mkdir(join(native, 'bin'), { recursive: true });
    await writeFile(join(native, 'bin/postgres'), '#!/bin/sh\necho started\n', { mode: 0o700 });
    await chmod(native, 0o700);
    const { programs, account, directory } = await makeServerHome(native);
    onTestFinished(() => rm(directory, { recursive: true }));
    expect(execFileSync(join(programs, 'postgres'), { ...account, encoding: 'utf8' })).toBe('started\n');
  },
);
