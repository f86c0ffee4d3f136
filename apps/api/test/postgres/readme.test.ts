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
  '%s starts a service, its curl line creates a plant, and SIGTERM ends it',
  { timeout: 60_000 },
  async (command) => expectToServe(await onFreshDatabase(command)),
);

test.each(verifications.filter(needsPostgres))('%s finds every promise kept', { timeout: 180_000 }, async (command) =>
  expectToVerify(await onFreshDatabase(command), await scratchDirectory(onTestFinished)),
);

test('the README has a service and a verification on PostgreSQL, and nothing else there', () => {
  expect([services, verifications, commandLines].map((some) => some.filter(needsPostgres).length)).toEqual([1, 1, 0]);
});
