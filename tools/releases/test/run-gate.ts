import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Runs a gate of this package, as CI does, on the branch in a directory. */
export function runGate(
  gate: 'contract-changes' | 'package-changes',
  cwd: string,
  base: string,
  env: NodeJS.ProcessEnv = {},
): { readonly code: number | null; readonly output: string } {
  const program = join(import.meta.dirname, `../src/${gate}.ts`);
  const options = { cwd, env: { ...process.env, GITHUB_ACTIONS: '', ...env }, encoding: 'utf8' } as const;
  const { status: code, stdout, stderr } = spawnSync(process.execPath, [program, base], options);
  return { code, output: stdout + stderr };
}
