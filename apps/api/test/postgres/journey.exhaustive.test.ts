import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshDatabase } from '@plant-store/testing/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { environmentOfTheRun, type RunningProcess, run, scratchDirectory } from '../running-service.ts';

const root = join(import.meta.dirname, '../../../..');

/** The blocks of commands, each with what it is said to show. The run that this test is part of has run the tests. */
const stopsOf = (document: string) =>
  [...readFileSync(join(root, document), 'utf8').matchAll(/^```sh\n(.*?)^```\n(?:\n```\n(.*?)^```$)?/gms)]
    .map(([, commands = '', shown = '']) => ({ commands: commands.trimEnd().split('\n'), shown: shown.trimEnd() }))
    .filter(({ commands }) => commands[0] !== 'npx -y pnpm@12 test');

const documented = { url: 'http://127.0.0.1:3000', admin: 'http://127.0.0.1:3001', data: 'data/' };
const greeting =
  /^plant-store \S+ \(development\) listening on (?<url>\S+)\n[\s\S]*? admin {2}(?<admin>\S+)\/livez[\s\S]*?\n {2}(?<curl>curl .*)$/m;

test.each([
  ['README.md', 1],
  ['docs/tour.md', 2],
])(
  'the commands of %s do what it says, and a created plant comes back',
  { timeout: 600_000 },
  async (document, stops) => {
    const data = `${await scratchDirectory(onTestFinished)}/`;
    let actual = { ...documented, data };
    let stop = async () => {};
    expect(stopsOf(document)).toHaveLength(stops);
    for (const { commands, shown } of stopsOf(document)) {
      let output = '';
      for (const command of commands) {
        if (!command.endsWith('pnpm@12 start')) {
          output += await outputOf(replaced(command, documented, actual), data);
          continue;
        }
        await stop();
        const service = await shell(command, data);
        const { 0: text, groups: { url = '', admin = '', curl = '' } = {} } = await service.printed(greeting);
        actual = { url, admin, data };
        output += replaced(text, actual, documented);
        expect(await outputOf(curl, data)).toMatch(/200 OK.*\{"name"/s);
        stop = () => endOf(service, 'SIGINT');
      }
      expect({ commands, output, missing: missingIn(output, shown) }).toEqual({ commands, output, missing: undefined });
      if (commands.some((command) => command.includes('verify'))) expect(output).toMatch(/^\d+ passed, .* 0 failed, /m);
    }
    await stop();
  },
);

/** The text with the service's addresses and data in place of others. */
function replaced(text: string, from: typeof documented, to: typeof documented): string {
  return text.replaceAll(from.url, to.url).replaceAll(from.admin, to.admin).replaceAll(from.data, to.data);
}

/** What a command prints. */
async function outputOf(command: string, data: string): Promise<string> {
  const { ended, output } = await shell(command, data);
  expect({ command, code: await ended, output: output() }).toEqual({ command, code: 0, output: output() });
  return output();
}

/** Runs a command in the repository as a person would, but on free ports, with data and a database of its own. */
async function shell(command: string, DATA_DIR: string): Promise<RunningProcess> {
  const own = command.replace(/postgres:\S+/, await freshDatabase().then((url) => `'${url}'`));
  const pnpm = process.env['npm_execpath'] ?? 'pnpm';
  // `npx` asks the registry, which may be out of reach. `.ci/first-start` runs it.
  const script = `${/^[A-Z_]+=/.test(own) ? 'exec env' : 'exec'} ${own.replace('npx -y pnpm@12', `'${pnpm}'`)}`;
  const { HOME } = process.env;
  const env = { HOME, ...environmentOfTheRun(), DATA_DIR, PORT: '0', ADMIN_PORT: '0' };
  const child = run('bash', ['-c', script], { cwd: root, env, detached: true });
  onTestFinished(() => endOf(child, 'SIGKILL'));
  return child;
}

/** As Ctrl-C does, it ends everything that the terminal runs. */
async function endOf({ process: { pid = 0 }, ended }: RunningProcess, signal: NodeJS.Signals): Promise<void> {
  try {
    process.kill(-pid, signal);
  } catch {
    // Nothing is left.
  }
  await ended;
}

/** The first documented text that is missing from the output, in order; … matches anything. */
function missingIn(output: string, shown: string): string | undefined {
  let from = 0;
  return shown.split(/[…\n]/).find((text) => {
    const at = output.indexOf(text, from);
    from = at + text.length;
    return at < 0;
  });
}
