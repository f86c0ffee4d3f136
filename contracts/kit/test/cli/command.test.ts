import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Command, commonHelp, prepareCheck, runCommand, SetupError, selectClauses } from '../../src/cli/index.ts';
import { type Contract, ContractViolation } from '../../src/index.ts';

/** A text as a hostile service may return it. */
const weed = 'a weed \u001b[2J</failure><script>]]>\u009b\u202e\u0000\ufffe\ud800&"';
const shown = 'a weed \\u001b[2J</failure><script>]]>\\u009b\\u202e\\u0000\\ufffe\\ud800&"';

/** A contract whose second clause fails. */
const contract: Contract<object> = {
  name: 'Garden',
  clauses: [
    { id: 'G-1', since: '2026-12', title: 'grows', check: async () => {} },
    {
      id: 'G-2',
      since: '2027-01',
      title: 'blooms',
      check: () => Promise.reject(new ContractViolation('watered it', weed, 'a flower')),
    },
    { id: 'G-3', since: '2026-12', title: 'climbs', appliesTo: () => false, check: async () => {} },
  ],
};

const options = { plant: { type: 'string' }, frost: { type: 'boolean' } } as const;
const tend: Command<typeof options> = {
  name: 'tend',
  manifest: new URL('../../package.json', import.meta.url),
  help: `Usage: tend\n${commonHelp}`,
  options,
  async check(values, _environment, host) {
    const repeat = { secret: 'WATER', options: { plant: values.plant } };
    const reporting = { ...values, suite: tend, subject: 'a bed', repeat };
    const check = await prepareCheck(selectClauses(contract, values), reporting, host);
    if (values.frost) throw new SetupError('the ground is frozen:\nwait');
    return check({});
  },
};

async function run(args: readonly string[]) {
  const written = { stdout: '', stderr: '' };
  const stdout = { write: (text: string) => (written.stdout += text) };
  const stderr = { write: (text: string) => (written.stderr += text) };
  return { code: await runCommand(tend, args, {}, { stdout, stderr }), ...written };
}

test('a failed clause has its action, actual and expected result, which cannot control a terminal', async () => {
  const { code, stdout, stderr } = await run([]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout.replace(/\d+\.\d s/, '1.0 s').split('\n')).toEqual([
    ...['✓ G-1    grows', '✗ G-2    blooms'],
    ...['    action:   watered it', `    actual:   ${shown}`, '    expected: a flower'],
    '– G-3    climbs (not promised)',
    '1 passed, 1 not promised, 0 not checked, 1 failed, in 1.0 s (revision 2027-01)',
    '',
  ]);
});

test('--json prints the report and nothing else', async () => {
  const { stdout } = await run([
    '--json',
    '--except',
    'G-1',
    '--plant',
    "a rose's",
    '--name',
    'Bed \u{1f331}',
    '--force',
  ]);
  expect(stdout).not.toMatch(/[\p{Cc}\p{Bidi_Control}](?<!\n)/u);
  const message = `action:   watered it\nactual:   ${weed}\nexpected: a flower`;
  expect(JSON.parse(stdout)).toEqual({
    suite: { name: '@plant-store/contracts-kit', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) },
    implementation: { name: 'Bed \u{1f331}', version: 'unknown' },
    subject: 'a bed',
    date: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    seconds: expect.any(Number),
    command: `WATER=… npx @plant-store/contracts-kit@${JSON.parse(stdout).suite.version} --plant 'a rose'\\''s' --except G-1 --name 'Bed \u{1f331}'`,
    partial: true,
    contract: 'Garden',
    revision: '2027-01',
    newer: [],
    results: [
      { id: 'G-1', title: 'grows', verdict: 'not-checked', message: 'skipped by --except' },
      { id: 'G-2', title: 'blooms', verdict: 'failed', message },
      { id: 'G-3', title: 'climbs', verdict: 'not-promised' },
    ],
    ...{ passed: 0, notPromised: 1, notChecked: 1, failed: 1, knownFailures: 0 },
  });
});

test('--report writes the report that --json prints', async () => {
  const report = join(await newDirectory(), 'report.json');
  const { stdout } = await run(['--json', '--report', report, '--implementation-version', '3']);
  expect(await readFile(report, 'utf8')).toBe(stdout);
  expect(JSON.parse(stdout)).toMatchObject({ implementation: { name: 'unnamed', version: '3' }, partial: false });
});

test.each([
  [[], '1 passed, 1 not promised, 1 failed', 'red'],
  [['--only', 'G-1'], '1 passed, partial', 'yellow'],
  [['--except', 'G-2'], '1 passed, 1 not promised, partial', 'yellow'],
  [['--known-failures', '{"G-2":"no sun"}'], '1 passed, 1 not promised, 1 known to fail', 'yellow'],
  [['--revision', '2026-12'], '1 passed, 1 not promised', 'brightgreen'],
])('the badge of %j says %s', async (args, message, color) => {
  const badge = join(await newDirectory(), 'badge.json');
  await run(await Promise.all([...args.map((arg) => (arg.startsWith('{') ? fileWith(arg) : arg)), '--badge', badge]));
  const label = `Garden contract ${args[0] === '--revision' ? '2026-12' : '2027-01'}`;
  expect(JSON.parse(await readFile(badge, 'utf8'))).toEqual({ schemaVersion: 1, label, message, color });
});

test('a broken set-up is one line and exits with 3, which --help explains', async () => {
  const stderr = 'tend: the ground is frozen:\\u000await\n';
  expect(await run(['--frost'])).toEqual({ code: 3, stdout: '', stderr });
  expect((await run(['--help'])).stdout).toContain('3 if the set-up is broken');
});

test.each([
  [['--only', 'G-3,G-1'], 0, /^✓ G-1 .*\n– G-3 .*\n1 passed/],
  [['--except', 'G-2, G-3'], 0, /✓ G-1 .*\n\? G-2 .* \(not checked: skipped by --except\)\n– G-3/],
  [['--revision', '2026-12'], 0, /0 failed, in .* s \(revision 2026-12\)\n$/],
  [['--revision', '2026-12'], 0, /^newer revisions add G-2 {2}blooms$/m],
  [
    ['--help'],
    0,
    /^Usage: tend\n(.*--(only|except|revision|known-failures|name|implementation-version|json|report|badge|junit|force|help|version)\b.*\n([^-]*\n)?){13}/,
  ],
  [['-v'], 0, /^1\.\d+\.\d+\n$/],
])('%j exits with %d', async (args, code, stdout) => {
  expect(await run(args)).toEqual({ code, stdout: expect.stringMatching(stdout), stderr: '' });
});

test.each([
  [['--tokn=sesame'], "Unknown option '--tokn'; see --help"],
  [['-tsesame'], "Unknown option '-t'; see --help"],
  [['sesame'], 'unexpected argument; see --help'],
  [['--json=yes'], "Option '--json' does not take an argument; see --help"],
  [['--only'], /^Option '--only <value>' argument missing; see --help$/],
  [['--only', '-x'], /^Option '--only' argument is ambiguous; see --help$/],
  [['--only', 'G-1,\u001bG-9'], '--only: the Garden contract has no clause "\\u001bG-9"; its clauses: G-1 G-2 G-3'],
  [['--only', 'G-1', '--except', 'G-2,G-1'], '--except: no clause is left to check: skip fewer of them'],
])('%j exits with 2 and one line, without an argument that may be a secret', async (args, says) => {
  const { code, stdout, stderr } = await run(args);
  expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 2, stdout: '', lines: 2 });
  expect(stderr.replace(/^tend: |\n$/g, '')).toEqual(typeof says === 'string' ? says : expect.stringMatching(says));
  expect(stderr).not.toContain('sesame');
});

test('a report is private, replaces only a regular file and only with --force, and is checked before the run', async () => {
  const directory = await newDirectory();
  const path = (name: string) => join(directory, name);
  await mkdir(path('directory'));
  await writeFile(path('precious'), 'precious');
  await symlink(path('precious'), path('link'));
  await writeFile(path('earlier'), 'earlier '.repeat(10_000));

  expect(await run(['--junit', path('new')])).toMatchObject({ code: 1, stderr: '' });
  expect((await stat(path('new'))).mode & 0o777).toBe(0o600);
  for (const [args, says] of [
    [['--junit', path('earlier')], /^tend: --junit: .*earlier exists, and --force is missing: pass another path\n$/],
    [['--junit', path('link'), '--force'], /link is not a regular file: pass another path\n$/],
    [['--junit', path('directory'), '--force'], /directory is not a regular file: pass another path\n$/],
    [['--junit', path('none/report')], /report cannot be written \(ENOENT\): pass another path\n$/],
    [['--report', path('earlier')], /^tend: --report: .*earlier exists, and --force is missing: pass another path\n$/],
    [['--badge', path('earlier')], /^tend: --badge: .*earlier exists, and --force is missing: pass another path\n$/],
    [
      ['--report', path('both'), '--badge', `${directory}//both`],
      /^tend: --badge: .*both is another report: pass another path\n$/,
    ],
  ] as const)
    expect(await run(args)).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(says) });
  expect(await readFile(path('precious'), 'utf8')).toBe('precious');
  expect(await run(['--junit', path('earlier'), '--force'])).toMatchObject({ code: 1, stderr: '' });
  expect(await readFile(path('earlier'), 'utf8')).toMatch(/^<\?xml [\s\S]*<\/testsuites>\n$/);
  expect((await stat(path('earlier'))).mode & 0o777).toBe(0o600);
  expect(await readdir(directory)).toEqual(['directory', 'earlier', 'link', 'new', 'precious']);
});

test('JUnit XML has each clause with its verdict, and a message cannot leave its element', async () => {
  const junit = join(await newDirectory(), 'xml');
  await run(['--junit', junit, '--except', 'G-1']);
  const xml = await readFile(junit, 'utf8');
  const escaped = shown.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
  const message = `action:   watered it\nactual:   ${escaped}\nexpected: a flower`;
  expect(xml.match(/<testsuite .* skipped="2"/)?.[0]).toBe(
    '<testsuite name="Garden" tests="3" failures="1" errors="0" skipped="2"',
  );
  expect(xml).toContain('<property name="subject" value="a bed"/>');
  expect(xml.match(/<testcase [\s\S]*?<\/testcase>/g)).toEqual([
    '<testcase classname="Garden" name="G-1 grows"><skipped message="not checked: skipped by --except"/></testcase>',
    `<testcase classname="Garden" name="G-2 blooms"><failure message="action:   watered it">${message}</failure></testcase>`,
    '<testcase classname="Garden" name="G-3 climbs"><skipped message="not promised"/></testcase>',
  ]);
});

test.each([
  ['{"G-2":"no sun"}', 0, /^! G-2 {4}blooms \(known failure: no sun\)$[\s\S]*0 failed, 1 known to fail/m],
  ['{"G-1":"no rain","G-2":"no sun"}', 1, /^✗ G-1 .*\n.*it passes: remove it from the known failures/m],
  ['{"G-2":"no sun","G-3":"no wall"}', 1, /^✗ G-3 .*\n.*it is not promised: remove it from the known failures/m],
])('of known failures %s, exit %d', async (text, code, stdout) => {
  const result = await run(['--known-failures', await fileWith(text)]);
  expect(result).toEqual({ code, stdout: expect.stringMatching(stdout), stderr: '' });
});

test.each([
  ['{"G-9":"no rain"}', 'the Garden contract has no clause "G-9"; its clauses: G-1 G-2 G-3'],
  ['{"G-2":""}', 'expected a JSON object with a reason for each clause, {"PR-16": "…"}'],
  ['["G-2"]', 'expected a JSON object with a reason for each clause, {"PR-16": "…"}'],
  ['{', 'Expected property name'],
])('a file of known failures with %s is a usage error', async (text, message) => {
  const path = await fileWith(text);
  const { code, stderr } = await run(['--known-failures', path]);
  expect(code).toBe(2);
  expect(stderr).toContain(`tend: --known-failures: ${path}: ${message}`);
});

async function fileWith(text: string): Promise<string> {
  const path = join(await newDirectory(), 'known.json');
  await writeFile(path, text);
  return path;
}

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'contracts-kit-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}
