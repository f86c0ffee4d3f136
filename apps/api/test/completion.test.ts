import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { run } from './running-process.ts';
import { plantStore, scratchDirectory } from './running-service.ts';

test.each(['bash', 'zsh', 'fish'])('completion prints a script for %s', async (shell) => {
  const { ended, output } = plantStore(['completion', shell]);
  expect(await ended).toBe(0);
  expect(output()).toContain('plant-store complete --');
});

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
])('bash completes %j', async (words, expected) => {
  const directory = await scratchDirectory(onTestFinished);
  const main = join(import.meta.dirname, '../src/main.ts');
  await writeFile(
    join(directory, 'plant-store'),
    `#!/bin/bash\nexec '${process.execPath}' --conditions=development '${main}' "$@"\n`,
  );
  await chmod(join(directory, 'plant-store'), 0o755);
  // What bash does at a tab; the function of bash-completion is put here for machines without it.
  const script = `
    _get_comp_words_by_ref() { cur=\${COMP_WORDS[COMP_CWORD]}; words=("\${COMP_WORDS[@]}"); cword=$COMP_CWORD; }
    compopt() { :; }
    source <(plant-store completion bash)
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
    complete -p plant-store >/dev/null || exit 1
    __plant_store_complete
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const bash = run('bash', ['-c', script], { env: { PATH: `${directory}:${process.env['PATH']}` } });
  expect(await bash.ended).toBe(0);
  expect(bash.output().trim().split(/\s*\n/)).toEqual(expected);
});
