import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshDatabase } from '@plant-store/testing-postgres';
import { expect, onTestFinished, test } from 'vitest';
import { type RunningProcess, run } from './running-process.ts';
import { scratchDirectory } from './running-service.ts';

const root = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The commands in the fenced blocks of the README that are marked as shell. */
const commands = [...read('README.md').matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block = '']) =>
  block.split('\n').filter((line) => line !== ''),
);

const services = commands.filter((command) => command.endsWith('pnpm@12 start'));
const verifications = commands.filter((command) => command.includes('plant-store verify'));
const commandLines = commands.filter(
  (command) => command.includes('pnpm@12 plant-store') && !verifications.includes(command),
);
const others = commands.filter((command) => ![...services, ...verifications, ...commandLines].includes(command));

test('the README leads with the two commands', () => {
  expect(commands.slice(0, 2)).toEqual(['npx -y pnpm@12 start', 'npx -y pnpm@12 test']);
});

test.each(others)('%s is run by .ci/run', (command) => {
  const lines = read('.ci/run').split('\n');
  expect(lines.some((line) => line.endsWith(command))).toBe(true);
});

test.each(services)(
  '%s starts a service, its curl line creates a plant, and SIGTERM ends it',
  { timeout: 60_000 },
  async (command) => {
    const service = shell(await onFreshDatabase(command), await scratchDirectory(onTestFinished));
    const [, curl = ''] = await service.printed(/^ {2}(curl .*)$/m);

    const answer = await fetchLikeCurl(curl);
    expect([answer.status, await answer.text()]).toEqual([200, '{"name":"Fern","tag":"shade"}']);

    service.process.kill('SIGTERM');
    await service.ended;
    await expect(fetchLikeCurl(curl)).rejects.toThrow();
  },
);

test('the command lines of the README succeed', { timeout: 60_000 }, async () => {
  const dataDirectory = await scratchDirectory(onTestFinished);
  expect(commandLines.length).toBeGreaterThan(3);
  // `status` fails while a migration is missing, so it comes last.
  for (const command of commandLines.toSorted((a, b) => Number(a.endsWith('status')) - Number(b.endsWith('status')))) {
    const commandLine = shell(command, dataDirectory);
    const code = await commandLine.ended;
    expect({ command, code, output: commandLine.output() }).toEqual({ command, code: 0, output: expect.any(String) });
  }
});

test('the verifications of the README find every promise kept', { timeout: 180_000 }, async () => {
  const dataDirectory = await scratchDirectory(onTestFinished);
  const service = shell('npx -y pnpm@12 start', dataDirectory);
  const [, url = ''] = await service.printed(/curl -i (http\S+)\/plants /);
  expect(verifications).toHaveLength(2);
  const verify = async (command: string) => {
    const onOwnData = command.replace('data/token', `${dataDirectory}/token`).replace(/http:\S+/, url);
    const verification = shell(await onFreshDatabase(onOwnData), dataDirectory);
    const code = await verification.ended;
    expect({ command, code, output: verification.output() }).toEqual({
      command,
      code: 0,
      output: expect.stringMatching(/^\d\d kept, [01] not promised, [01] not checked, 0 broken, in /m),
    });
  };
  await Promise.all(verifications.map(verify));
});

/** The command with a database of its own in the place of that of the README. */
async function onFreshDatabase(command: string): Promise<string> {
  const database = command.includes('postgres://') ? `'${await freshDatabase()}'` : '';
  return command.replace(/postgres:\S+/, () => database);
}

/** Runs a command in the repository as a person would, but on free ports and with data of its own. */
function shell(command: string, DATA_DIR: string): RunningProcess {
  const exec = /^[A-Z_]+=/.test(command) ? 'exec env' : 'exec';
  const started = run('bash', ['-c', `${exec} ${command}`], {
    cwd: root,
    env: { ...environmentOfAPerson(), DATA_DIR, PORT: '0', ADMIN_PORT: '0' },
    detached: true,
  });
  onTestFinished(() => {
    try {
      // The whole process group, should anything be left of it.
      process.kill(-(started.process.pid ?? 0), 'SIGKILL');
    } catch {
      // Nothing is left.
    }
  });
  return started;
}

/** The environment of this process without what test runners and package managers add to it. */
function environmentOfAPerson(): NodeJS.ProcessEnv {
  const added = /^(npm_|pnpm_|VITEST|NODE_ENV$|TEST$|MODE$|DEV$|PROD$|SSR$|BASE_URL$|API_TOKEN|DATABASE_URL$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !added.test(name)));
}

/** Does what the curl line does, on machines that have no curl. */
function fetchLikeCurl(line: string): Promise<Response> {
  const url = /http\S+/.exec(line)?.[0] ?? '';
  const headers = [...line.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name = '', value = '']): [string, string] => [
    name,
    value,
  ]);
  const body = /-d '([^']+)'/.exec(line)?.[1] ?? '';
  return fetch(url, { method: 'POST', headers, body });
}
