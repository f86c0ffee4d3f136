import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Command, commonHelp, prepareCheck, runCommand, SetupError } from '../../src/cli/index.ts';
import { type Contract, ContractViolation } from '../../src/index.ts';

/** A text as a hostile service may return it. */
const weed = 'a weed \u001b[2J\u009b\u202e\u0000\ud800"';
const shown = 'a weed \\u001b[2J\\u009b\\u202e\\u0000\\ud800"';

/** A contract whose second clause fails. */
const contract: Contract<object> = {
  name: 'Garden',
  documentation: 'docs/garden.md',
  clauses: [
    { id: 'G-1', shows: 'P2', title: 'grows', check: async () => {} },
    {
      id: 'G-2',
      shows: 'P3/F6',
      title: 'blooms',
      check: () => Promise.reject(new ContractViolation('watered it', weed, 'a flower')),
    },
    { id: 'G-3', shows: 'P4', title: 'climbs', appliesTo: () => false, check: async () => {} },
  ],
};

const tend: Command<'frost'> = {
  name: 'tend',
  help: `Usage: tend\n${commonHelp}`,
  options: ['frost'],
  async check(values, _environment, host) {
    const check = prepareCheck(contract, values, host);
    if (values.frost) throw new SetupError('the ground is frozen:\nwait');
    return check({});
  },
};

async function run(...args: readonly string[]) {
  const written = { stdout: '', stderr: '' };
  const stdout = { write: (text: string) => (written.stdout += text) };
  const stderr = { write: (text: string) => (written.stderr += text) };
  return { code: await runCommand(tend, args, {}, { stdout, stderr }), ...written };
}

test('a failed clause says what was done, what happened and where to read on, and cannot control a terminal', async () => {
  const { code, stdout, stderr } = await run();
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout.replace(/\d+\.\d s/, '1.0 s').split('\n')).toEqual([
    ...['✓ G-1    P2 grows', '✗ G-2    P3/F6 blooms'],
    ...['    action:   watered it', `    actual:   ${shown}`, '    expected: a flower'],
    ...['    read on:  G-2 in docs/garden.md', '– G-3    P4 climbs (not promised)'],
    ...['1 passed, 1 not promised, 0 not checked, 1 failed, in 1.0 s', ''],
  ]);
});

test('--only checks these clauses, counts the others, and --json writes the verdicts', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'contracts-kit-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const json = join(directory, 'verdicts.json');
  const { code, stdout } = await run('--only', 'G-3, G-1', '--json', json);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      /^✓ G-1 .*\n– G-3 .*\n1 passed, 1 not promised, 0 not checked, 0 failed, 1 left out, in/,
    ),
  });
  expect(JSON.parse(await readFile(json, 'utf8'))).toMatchObject({
    contract: 'Garden',
    ...{ passed: 1, 'not-promised': 1, 'left-out': 1 },
    results: [{ id: 'G-1', shows: 'P2', verdict: 'passed' }, { verdict: 'not-promised' }],
  });
});

test('a broken set-up is one line and exits with 3, which --help explains', async () => {
  expect(await run('--frost', 'hard')).toEqual({ code: 3, stdout: '', stderr: 'tend: the ground is frozen: wait\n' });
  const help = await run('--help');
  expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('3 if the set-up is broken') });
});

test.each([
  [['--tokn=sesame'], "Unknown option '--tokn'; see --help"],
  [['sesame'], 'unexpected argument; see --help'],
  [['--only', 'G-1,\u001bG-9'], '--only: the Garden contract has no clause "\\u001bG-9"; it has G-1 G-2 G-3'],
  [['--json', '/none/verdicts'], "--json: ENOENT: no such file or directory, open '/none/verdicts'"],
])('%j exits with 2 and one line, without an argument that may be a secret', async (args, says) => {
  expect(await run(...args)).toEqual({ code: 2, stdout: '', stderr: `tend: ${says}\n` });
});
