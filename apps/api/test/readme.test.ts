import { expect, onTestFinished, test } from 'vitest';
import { commands, expectToServe, needsPostgres, others, read, services, shellAsWritten } from './readme-commands.ts';
import { scratchDirectory } from './running-service.ts';

test('the README leads with the command that starts the service, and has the one that tests', () => {
  expect(commands[0]).toBe('npx -y pnpm@12 start');
  expect(others).toEqual(['npx -y pnpm@12 test']);
});

test.each(others)('%s is run by .ci/run', (command) => {
  const lines = read('.ci/run').split('\n');
  expect(lines.some((line) => line.endsWith(command))).toBe(true);
});

test.each(services.filter((command) => !needsPostgres(command)))(
  '%s starts a service, its curl command creates a plant, and SIGTERM stops it',
  { timeout: 60_000 },
  (command) => expectToServe(command, shellAsWritten),
);

test.each(others)('%s runs the tests', async (command) => {
  const runner = shellAsWritten(`${command} --help`, await scratchDirectory(onTestFinished));
  expect({ code: await runner.ended, output: runner.output() }).toEqual({
    code: 0,
    output: expect.stringContaining('Usage: turbo'),
  });
});
