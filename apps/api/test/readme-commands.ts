import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { environmentOfTheRun, type RunningProcess, run, withThisPnpm } from './running-process.ts';
import { scratchDirectory } from './running-service.ts';

const root = join(import.meta.dirname, '../../..');
export const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The commands in the fenced blocks of the README that are marked as shell. */
export const commands: string[] = [...read('README.md').matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block = '']) =>
  block.split('\n').filter((line) => line !== ''),
);

export const services: string[] = commands.filter((command) => command.endsWith('pnpm@12 start'));
export const verifications: string[] = commands.filter((command) => command.includes('pnpm@12 verify'));
export const commandLines: string[] = commands.filter((command) => command.includes('pnpm@12 plant-store'));
export const others: string[] = commands.filter(
  (command) => ![...services, ...verifications, ...commandLines].includes(command),
);

/** Whether a command of the README needs a PostgreSQL. */
export const needsPostgres = (command: string): boolean => command.includes('postgres://');

/** A command that starts a service, whose curl line creates a plant, and which SIGTERM ends. */
export async function expectToServe(command: string, start = shell): Promise<void> {
  const service = start(command, await scratchDirectory(onTestFinished));
  const [, curl = ''] = await service.printed(/^ {2}(curl .*)$/m);

  const response = await fetchLikeCurl(curl);
  expect([response.status, await response.text()]).toEqual([200, '{"name":"Fern","tag":"shade"}']);

  service.process.kill('SIGTERM');
  await service.ended;
  await expect(fetchLikeCurl(curl)).rejects.toThrow();
}

/** Runs a verification of the README, and expects every clause to pass. */
export async function expectToVerify(command: string, dataDirectory: string): Promise<void> {
  const verification = shell(command, dataDirectory);
  const code = await verification.ended;
  expect({ command, code, output: verification.output() }).toEqual({
    command,
    code: 0,
    output: expect.stringMatching(/^\d\d passed, [0-2] not promised, [0-3] not checked, 0 failed, in /m),
  });
}

/** Runs a command in the repository as a person would, but on free ports and with data of its own. */
export function shell(command: string, DATA_DIR: string): RunningProcess {
  return shellAsWritten(withThisPnpm(command), DATA_DIR);
}

/** The same, with npx as it is written. */
export function shellAsWritten(command: string, DATA_DIR: string): RunningProcess {
  const exec = /^[A-Z_]+=/.test(command) ? 'exec env' : 'exec';
  const started = run('bash', ['-c', `${exec} ${command}`], {
    cwd: root,
    env: {
      ...environmentOfAPerson(),
      ...environmentOfTheRun(),
      ...withoutWaiting,
      DATA_DIR,
      PORT: '0',
      ADMIN_PORT: '0',
    },
    detached: true,
  });
  onTestFinished(() => {
    try {
      // The whole process group, in case a process is left.
      process.kill(-(started.process.pid ?? 0), 'SIGKILL');
    } catch {
      // Nothing is left.
    }
  });
  return started;
}

/** For npx: what was installed is found in its cache, and a registry that is out of reach is given up at once. */
const withoutWaiting = {
  npm_config_prefer_offline: 'true',
  npm_config_fetch_retries: '0',
  npm_config_fetch_timeout: '5000',
};

/** The environment of this process without what test runners and package managers add to it. */
function environmentOfAPerson(): NodeJS.ProcessEnv {
  const added = /^(npm_|pnpm_|VITEST|NODE_ENV$|TEST$|MODE$|DEV$|PROD$|SSR$|BASE_URL$|API_TOKEN|DATABASE_URL$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !added.test(name)));
}

/** Does what the curl line does, on machines that have no curl. */
export function fetchLikeCurl(line: string): Promise<Response> {
  const url = /http\S+/.exec(line)?.[0] ?? '';
  const headers = [...line.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name = '', value = '']): [string, string] => [
    name,
    value,
  ]);
  const body = /-d '([^']+)'/.exec(line)?.[1] ?? '';
  return fetch(url, body === '' ? { headers } : { method: 'POST', headers, body });
}
