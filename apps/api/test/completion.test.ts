import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { run } from './running-process.ts';
import { plantStore, scratchDirectory } from './running-service.ts';

test.each(['bash', 'zsh', 'fish'])('completion prints a script for %s, which evaluates nothing', async (shell) => {
  const { ended, output } = plantStore(['completion', shell]);
  expect(await ended).toBe(0);
  expect(output()).toContain('plant-store complete --');
  expect(output().replaceAll(/^\s*#.*$/gm, '')).not.toMatch(/\beval\b/);
});

/** What bash does at a tab, twice sourced as in a `.bashrc` that is read again. */
async function atTab(words: readonly string[]) {
  const directory = await scratchDirectory(onTestFinished);
  const main = join(import.meta.dirname, '../src/main.ts');
  const program = join(directory, 'bin/plant-store');
  await mkdir(join(directory, 'bin'));
  await writeFile(program, `#!/bin/bash\nexec '${process.execPath}' --conditions=development '${main}' "$@"\n`);
  await chmod(program, 0o755);
  const script = `
    source <(plant-store completion bash)
    source <(plant-store completion bash)
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    [[ $(complete -p plant-store) =~ '-o default'.*-F\\ ([^ ]+) ]] || exit 1
    current=\${@:$#}
    "\${BASH_REMATCH[1]}" plant-store "\${current#=}"
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { PATH: `${join(directory, 'bin')}:${process.env['PATH']}` };
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
  expect(await atTab(words)).toEqual({ code: 0, candidates: expected, files: ['bin'] });
});

test.each(["'$(touch pwned)'", '--x$(touch pwned)='])(
  'what is typed is not run when it is completed: %s',
  async (word) => {
    expect(await atTab(['plant-store', 'import', word])).toEqual({ code: 0, candidates: [''], files: ['bin'] });
  },
);
