import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { isCall, participants, steps } from '../src/diagrams/steps.ts';
import { read, root } from '../src/root.ts';

const calls = steps.filter(isCall);

describe.each(calls)('$from calls $calls of $to', ({ from, to, calls: name, file, calledIn }) => {
  test('which is in the package that is named', () => {
    const folderOf = (id: string) => participants.find((each) => each.id === id)?.folder;
    expect([file, calledIn]).toEqual([
      expect.stringContaining(`${folderOf(to)}/src/`),
      expect.stringContaining(`${folderOf(from)}/src/`),
    ]);
  });

  test('where it is said to', () => {
    expect(read(calledIn)).toMatch(new RegExp(`\\b${name}\\(`));
  });
});

describe('while a service creates one plant', () => {
  let idle: Runs;
  let creating: Runs;
  beforeAll(async () => {
    idle = await runsOf(async () => {});
    creating = await runsOf(async (url) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const answer = await fetch(`${url}/plants`, { method: 'POST', headers, body: '{"id":1,"name":"Fern"}' });
      expect(answer.status).toBe(200);
    });
  }, 60_000);

  // createPlant makes the use case once; what it made has no name of its own.
  test.each(calls.filter(({ calls: name }) => name !== 'createPlant'))(
    '$calls in $file runs',
    ({ calls: name, file }) => {
      expect(creating(file, name)).toBeGreaterThan(idle(file, name));
    },
  );
});

const token = 'token-of-the-tests';

/** How often the functions of this name in this file ran. */
type Runs = (file: string, name: string) => number;

/** Counts what runs in a service from its start to its end, as V8 counts for coverage. */
async function runsOf(use: (url: string) => Promise<void>): Promise<Runs> {
  const directory = await mkdtemp(join(tmpdir(), 'plant-store-runs-'));
  try {
    const { PATH = '' } = process.env;
    const service = spawn(process.execPath, ['--conditions=development', 'apps/api/src/main.ts', 'serve'], {
      cwd: root,
      env: {
        PATH,
        PORT: '0',
        ADMIN_PORT: 'off',
        API_TOKENS: token,
        DATA_DIR: join(directory, 'data'),
        NODE_V8_COVERAGE: join(directory, 'runs'),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(service, 'exit');
    for await (const line of createInterface(service.stdout)) {
      const url = /"listening on ([^" ]+)/.exec(line)?.[1];
      if (url === undefined) continue;
      await use(url);
      service.kill('SIGTERM');
      break;
    }
    await ended;
    const reports = await Promise.all(
      (await readdir(join(directory, 'runs'))).map(
        async (name) => JSON.parse(await readFile(join(directory, 'runs', name), 'utf8')) as Report,
      ),
    );
    const scripts = reports.flatMap(({ result }) => result);
    return (file, name) => {
      const url = pathToFileURL(join(root, file)).href;
      const functions = scripts.filter((script) => script.url === url).flatMap((script) => script.functions);
      return functions
        .filter(({ functionName }) => functionName === name)
        .reduce((sum, { ranges: [whole] }) => sum + (whole?.count ?? 0), 0);
    };
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** What NODE_V8_COVERAGE writes, as far as it is read here. */
interface Report {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
}
