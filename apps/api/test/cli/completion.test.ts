import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../running-process.ts';
import { plantStore, scratchDirectory } from '../running-service.ts';

test.each(['bash', 'zsh', 'fish'])('completion prints a script for %s, which evaluates nothing', async (shell) => {
  const { ended, output } = plantStore(['completion', shell]);
  expect(await ended).toBe(0);
  expect(output()).toContain('plant-store complete --');
  expect(output().replaceAll(/^\s*#.*$/gm, '')).not.toMatch(/\beval\b/);
});

const root = join(import.meta.dirname, '../../../..');
const page = readFileSync(join(root, 'docs/operations.md'), 'utf8');
const [, fromClone = ''] = /\n## plant-store alone\n.*?\n```sh\n(.*?)\n```\n/s.exec(page) ?? [];

/**
 * What bash does at a tab, twice sourced as in a `.bashrc` that is read again; with plant-store on the PATH as the page has
 * it done from a clone.
 */
async function atTab(words: readonly string[]) {
  const directory = await scratchDirectory(onTestFinished);
  const home = { ...process.env, HOME: directory };
  const install = run('bash', ['-euc', fromClone], { cwd: root, env: home });
  if ((await install.ended) !== 0) throw new Error(install.output());
  const script = `
    source <(plant-store completion bash)
    source <(plant-store completion bash)
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    [[ $(complete -p plant-store) =~ '-o default'.*-F\\ ([^ ]+) ]] || exit 1
    current=\${@:$#}
    "\${BASH_REMATCH[1]}" plant-store "\${current#=}"
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { PATH: `${join(directory, '.local/bin')}:${process.env['PATH']}` };
  const bash = run('bash', ['-c', script, 'bash', ...words], { cwd: directory, env });
  return { code: await bash.ended, candidates: bash.output().trim().split('\n'), files: await readdir(directory) };
}

test.each([
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
])('bash completes %j', async (words, expected) => {
  expect(await atTab(words)).toEqual({ code: 0, candidates: expected, files: ['.local'] });
});

test.each(["'$(touch pwned)'", '--x$(touch pwned)='])(
  'what is typed is not run when it is completed: %s',
  async (word) => {
    expect(await atTab(['plant-store', 'import', word])).toEqual({ code: 0, candidates: [''], files: ['.local'] });
  },
);
