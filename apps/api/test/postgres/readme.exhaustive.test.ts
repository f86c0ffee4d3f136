import { expect, onTestFinished, test } from 'vitest';
import {
  commandLines,
  expectToServe,
  expectToVerify,
  needsPostgres,
  services,
  verifications,
} from '../readme-commands.ts';
import { scratchDirectory } from '../running-service.ts';
import { onFreshDatabase } from './on-fresh-database.ts';

test.each(services.filter(needsPostgres))(
  '%s starts a service, its curl command creates a plant, and SIGTERM stops it',
  { timeout: 60_000 },
  async (command) => expectToServe(await onFreshDatabase(command)),
);

test.each(verifications.filter(needsPostgres))('%s finds every clause passed', { timeout: 180_000 }, async (command) =>
  expectToVerify(await onFreshDatabase(command), await scratchDirectory(onTestFinished)),
);

test('the README starts one service and runs one verification on PostgreSQL', () => {
  expect([services, verifications, commandLines].map((some) => some.filter(needsPostgres).length)).toEqual([1, 1, 0]);
});
