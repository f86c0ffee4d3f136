import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const { configurations }: { configurations: readonly Configuration[] } = JSON.parse(
  readFileSync(join(root, '.vscode/launch.json'), 'utf8'),
);

interface Configuration {
  readonly name: string;
  readonly runtimeExecutable: string;
  readonly program: string;
  readonly args?: readonly string[];
}

test("debug configurations run on the workspace's Node, and name what is there", () => {
  expect(configurations.length).toBeGreaterThan(0);
  for (const { name, runtimeExecutable, program } of configurations) {
    expect(runtimeExecutable, name).toBe(`\${workspaceFolder}/node_modules/.bin/node`);
    const path = program.replace(`\${workspaceFolder}`, root);
    if (program !== `\${file}`) expect(existsSync(path), path).toBe(true);
  }
});

test.each([
  ['The tests of the open file', 'packages/domain/test/plant.test.ts'],
  ['The tests of the open file', 'apps/api/test/postgres/deployed-files.test.ts'],
  ['The tests of the open *.fault.ts, *.browser.ts or *.replay.ts', 'apps/api/test/faults/service.fault.ts'],
  ['The tests of the open *.fault.ts, *.browser.ts or *.replay.ts', 'apps/api/test/browser/docs.browser.ts'],
  ['The tests of the open *.fault.ts, *.browser.ts or *.replay.ts', 'apps/api/test/recipes/add-an-error.replay.ts'],
])('«%s» finds those of %s', (name, file) => {
  const found = configurations.find((each) => each.name === name);
  if (!found) throw new Error(`.vscode/launch.json has no «${name}»`);
  const command = expanded(found.runtimeExecutable, file);
  const options = [found.program, ...(found.args ?? [])].map((text) => expanded(text, file));
  // Everything as in the editor, but that the tests are listed, and not run.
  const listing = options.flatMap((option) => (option === 'run' ? ['list', '--filesOnly'] : [option]));
  const listed = execFileSync(command, listing, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });
  expect(listed.trim()).toMatch(new RegExp(`^\\[[\\w-]+\\] \\S*${basename(file)}$`));
});

/** What VS Code makes of its variables while a file is open. */
function expanded(text: string, file: string): string {
  const values: Readonly<Record<string, string>> = {
    workspaceFolder: root,
    relativeFile: file,
    fileDirname: join(root, dirname(file)),
    fileBasename: basename(file),
  };
  return text.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}
