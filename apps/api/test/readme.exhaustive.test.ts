import { expect, onTestFinished, test } from 'vitest';
import { commandLines, expectToVerify, needsPostgres, shell, verifications } from './readme-commands.ts';
import { scratchDirectory } from './running-service.ts';

test('the command lines of the README succeed', async () => {
  const dataDirectory = await scratchDirectory(onTestFinished);
  expect(commandLines.length).toBeGreaterThan(3);
  // `status` fails while a migration is missing, so it comes last.
  for (const command of commandLines.toSorted((a, b) => Number(a.endsWith('status')) - Number(b.endsWith('status')))) {
    const commandLine = shell(command, dataDirectory);
    const code = await commandLine.ended;
    expect({ command, code, output: commandLine.output() }).toEqual({ command, code: 0, output: expect.any(String) });
  }
});

test('the verification of a service finds every clause passed', { timeout: 180_000 }, async () => {
  const ofServices = verifications.filter((command) => !needsPostgres(command));
  expect(ofServices).toHaveLength(1);
  const dataDirectory = await scratchDirectory(onTestFinished);
  const service = shell('npx -y pnpm@12 start', dataDirectory);
  const [, url = ''] = await service.printed(/curl -i (http\S+)\/plants /);
  for (const command of ofServices) {
    const onOwnData = command.replace('data/token', `${dataDirectory}/token`).replace(/http:\S+/, url);
    await expectToVerify(onOwnData, dataDirectory);
  }
});
