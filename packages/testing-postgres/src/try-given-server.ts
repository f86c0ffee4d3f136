// Tries the server of TEST_DATABASE_URL as a test run would, and prints that it can be used, or on standard error what to
// do. A program of its own for tools/upkeep/doctor.mjs, which runs where nothing is installed.

import { useGivenServer } from './given-server.ts';

try {
  await useGivenServer(process.env['TEST_DATABASE_URL'] ?? '', '');
  process.stdout.write('TEST_DATABASE_URL answers, and its user may create databases\n');
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
