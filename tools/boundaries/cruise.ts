import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

export const root: string = join(import.meta.dirname, '../..');

/** Runs dependency-cruiser on folders of a directory, with the rules of the workspace. */
export function cruise(directory: string, folders: readonly string[]): Seen {
  const program = join(root, 'node_modules/.bin/depcruise');
  const options = ['--config', join(root, '.dependency-cruiser.mjs'), '--output-type', 'json', ...folders];
  const { stdout } = spawnSync(program, options, { cwd: directory, encoding: 'utf8', maxBuffer: 2 ** 28 });
  const { modules, summary }: Output = JSON.parse(stdout);
  return {
    rules: summary.ruleSetUsed.forbidden.map(({ name }) => name),
    modules: new Set(modules.map(({ source }) => source)),
    violations: [...new Set(summary.violations.map(({ from, rule }) => `${from} ${rule.name}`))],
  };
}

interface Seen {
  readonly rules: readonly string[];
  readonly modules: ReadonlySet<string>;
  readonly violations: readonly string[];
}

interface Output {
  readonly modules: readonly { readonly source: string }[];
  readonly summary: {
    readonly ruleSetUsed: { readonly forbidden: readonly { readonly name: string }[] };
    readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[];
  };
}
