// Asks the registry's advisory service about the dependencies:
//
//   npx -y pnpm@12 advisories
//
// Ends with 0 when nothing severe is known, 1 when something is, 2 when the service could not be asked.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { exitCodes, verdictOf } from './verdict.ts';

/** A service that hangs is one that cannot be asked. */
const TIMEOUT_MS = 30_000;

const root = join(import.meta.dirname, '../../../..');
const { stdout, stderr } = spawnSync('pnpm', ['audit', '--json'], { cwd: root, encoding: 'utf8', timeout: TIMEOUT_MS });
const { outcome, text } = verdictOf(stdout || stderr);
process.stdout.write(`${text}\n`);
process.exitCode = exitCodes[outcome];
