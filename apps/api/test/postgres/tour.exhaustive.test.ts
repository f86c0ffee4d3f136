import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { fetchLikeCurl, needsPostgres, read, shell } from '../readme-commands.ts';
import type { RunningProcess } from '../running-process.ts';
import { scratchDirectory } from '../running-service.ts';
import { onFreshDatabase } from './on-fresh-database.ts';

/** The blocks of commands, each with what it is said to show. */
const stops = [...read('docs/tour.md').matchAll(/^```sh\n(.*?)^```\n(?:\n```\n(.*?)^```$)?/gms)].map(
  ([, commands = '', shown = '']) => ({ commands: commands.trimEnd().split('\n'), shown: shown.trimEnd() }),
);

test('the commands of docs/tour.md print what it shows', async () => {
  const data = await scratchDirectory(onTestFinished);
  let service: Service | undefined;
  expect(stops.length).toBeGreaterThan(6);
  for (const { commands, shown } of stops) {
    let output = '';
    for (const command of commands) {
      if (command.endsWith('pnpm@12 start')) {
        await service?.stop();
        service = await startService(needsPostgres(command) ? await onFreshDatabase(command) : command, data);
        output += service.greeting.replaceAll(service.url, publicUrl).replaceAll(service.adminUrl, adminUrl);
      } else if (service) {
        output += await outputOf(on(service, command, data), data);
      }
    }
    expect({ commands, output, missing: missingIn(output, shown) }).toEqual({ commands, output, missing: undefined });
  }
  await service?.stop();
});

const publicUrl = 'http://127.0.0.1:3000';
const adminUrl = 'http://127.0.0.1:3001';

interface Service {
  readonly url: string;
  readonly adminUrl: string;
  readonly greeting: string;
  stop(): Promise<void>;
}

async function startService(command: string, data: string): Promise<Service> {
  const service = shell(command, data);
  const started = /^plant-store \S+ \(development\) listening on (\S+)\n[\s\S]*? admin {2}(\S+)\/livez.*$/m;
  const [greeting, url = '', admin = ''] = await service.printed(started);
  return { url, adminUrl: admin, greeting, stop: () => interrupted(service) };
}

/** Ctrl-C goes to everything that the terminal runs. */
async function interrupted({ process: { pid = 0 }, ended }: RunningProcess): Promise<void> {
  process.kill(-pid, 'SIGINT');
  await ended;
}

/** The command for this service and its data. */
function on(service: Service, command: string, data: string): string {
  return command
    .replaceAll(publicUrl, service.url)
    .replaceAll(adminUrl, service.adminUrl)
    .replaceAll('data/', `${data}/`);
}

async function outputOf(command: string, data: string): Promise<string> {
  if (command.startsWith('curl ')) {
    const response = await fetchLikeCurl(
      command.replace(/"([^"$]*)\$\(cat (\S+)\)"/, (_, text, file) => `'${text}${readFileSync(file, 'utf8').trim()}'`),
    );
    return `HTTP/1.1 ${response.status} ${response.statusText}\n\n${await response.text()}`;
  }
  const commandLine = shell(command, data);
  const code = await commandLine.ended;
  expect({ command, code, output: commandLine.output() }).toEqual({ command, code: 0, output: expect.any(String) });
  return commandLine.output();
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
