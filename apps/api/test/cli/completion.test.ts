import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runToEnd } from '../run-in-process.ts';
import { environmentOfTheRun, run } from '../running-process.ts';
import { scratchDirectory } from '../running-service.ts';

test.each(['bash', 'zsh', 'fish'])('completion prints a script for %s, which evaluates nothing', async (shell) => {
  const { code, output } = await runToEnd(['completion', shell]);
  expect(code).toBe(0);
  expect(output).toContain('plant-store complete --');
  expect(output.replaceAll(/^\s*#.*$/gm, '')).not.toMatch(/\beval\b/);
});

const root = join(import.meta.dirname, '../../../..');
const page = readFileSync(join(root, 'docs/operations.md'), 'utf8');
const [, fromClone = ''] = /\n## plant-store alone\n.*?\n```sh\n(.*?)\n```\n/s.exec(page) ?? [];

const cases: [words: string[], expected: string[]][] = [
  [['plant-store', 'im'], ['import']],
  [
    ['plant-store', 'migrate', ''],
    ['up', 'status', 'help'],
  ],
  [['plant-store', 'import', '--from'], ['--from-line']],
  [
    ['plant-store', 'import', '--format', ''],
    ['ndjson', 'csv'],
  ],
  // How bash takes --format=n and --format= apart; where the cursor is behind the =, that is the word and nothing of it.
  [['plant-store', 'import', '--format', '=', 'n'], ['ndjson']],
  [
    ['plant-store', 'import', '--format', '='],
    ['ndjson', 'csv'],
  ],
  [
    ['plant-store', 'completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  // None: `-o default` then completes names of files.
  [['plant-store', 'import', ''], ['']],
];

/** Texts that a shell would run. */
const programs = ["'$(touch pwned)'", '--x$(touch pwned)='];

/** Between two cases, and between their candidates. */
const SEPARATOR = '\u001e';

/**
 * What bash does at a tab, for all cases in one shell, twice sourced as in a `.bashrc` that is read again; with plant-store
 * on the PATH as the page has it done from a clone.
 */
async function atTabs(all: readonly (readonly string[])[]) {
  const directory = await scratchDirectory(afterAll);
  const home = { ...process.env, HOME: directory };
  const install = run('bash', ['-euc', fromClone], { cwd: root, env: home });
  if ((await install.ended) !== 0) throw new Error(install.output());
  const script = `
    source <(plant-store completion bash)
    source <(plant-store completion bash)
    [[ $(complete -p plant-store) =~ '-o default'.*-F\\ ([^ ]+) ]] || exit 1
    COMP_WORDS=()
    for word; do
      if [[ $word != ${SEPARATOR} ]]; then COMP_WORDS+=("$word"); continue; fi
      COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
      current=\${COMP_WORDS[COMP_CWORD]}
      "\${BASH_REMATCH[1]}" plant-store "\${current#=}"
      printf '%s\\n' "\${COMPREPLY[@]}" ${SEPARATOR}
      COMP_WORDS=()
    done`;
  const env = { ...environmentOfTheRun(), PATH: `${join(directory, '.local/bin')}:${process.env['PATH']}` };
  const words = all.flatMap((each) => [...each, SEPARATOR]);
  const bash = run('bash', ['-c', script, 'bash', ...words], { cwd: directory, env });
  const code = await bash.ended;
  const candidates = bash
    .output()
    .split(`${SEPARATOR}\n`)
    .map((text) => text.replace(/\n$/, '').split('\n'));
  return { code, candidates, files: await readdir(directory) };
}

let completed: Awaited<ReturnType<typeof atTabs>>;
beforeAll(async () => {
  completed = await atTabs([
    ...cases.map(([words]) => words),
    ...programs.map((word) => ['plant-store', 'import', word]),
  ]);
});

test('bash completes without an error', () => {
  expect(completed.code).toBe(0);
});

test.each(cases)('bash completes %j', (words, expected) => {
  expect(completed.candidates[cases.findIndex(([each]) => each === words)]).toEqual(expected);
});

test.each(programs)('what is typed is not run when it is completed: %s', (word) => {
  expect(completed.candidates[cases.length + programs.indexOf(word)]).toEqual(['']);
  expect(completed.files).toEqual(['.local']);
});
