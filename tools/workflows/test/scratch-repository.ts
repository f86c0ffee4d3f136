import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../src/workflow.ts';

/** A repository with the files of this one in its first commit. Nothing is installed in it. */
export interface ScratchRepository extends Disposable {
  readonly path: string;
  git(...args: readonly string[]): string;
  /** Commits everything, and returns the commit. */
  commit(): string;
  /** Puts another text in the place of a file's; without one, the same and an empty line. */
  change(file: string, change?: (text: string) => string): void;
  /** The tasks that turbo would run, with their hashes, by name: those that have a command. */
  dryRun(args: readonly string[], environment?: Record<string, string>): ReadonlyMap<string, string>;
}

export function scratchRepository(): ScratchRepository {
  const path = mkdtempSync(join(tmpdir(), 'plant-store-'));
  const git: ScratchRepository['git'] = (...args) =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args], {
      cwd: path,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  const repository: ScratchRepository = {
    path,
    git,
    commit() {
      git('add', '--all');
      git('commit', '--quiet', '--message', 'a change');
      return git('rev-parse', 'HEAD');
    },
    change(file, change = (text) => `${text}\n`) {
      writeFileSync(join(path, file), change(readFileSync(join(path, file), 'utf8')));
    },
    dryRun(args, environment = {}) {
      const output = execFileSync(join(root, 'node_modules/.bin/turbo'), ['run', ...args, '--dry=json'], {
        cwd: path,
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], TURBO_TELEMETRY_DISABLED: '1', ...environment },
        maxBuffer: 64 * 1024 * 1024,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const { tasks }: { tasks: { taskId: string; command: string; hash: string }[] } = JSON.parse(output);
      const withCommand = tasks.filter(({ command }) => command !== '<NONEXISTENT>');
      return new Map(withCommand.map(({ taskId, hash }) => [taskId.replace('@plant-store/', ''), hash]));
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  const files = String(listed).split('\0');
  for (const file of files) if (file && existsSync(join(root, file))) cpSync(join(root, file), join(path, file));
  git('init', '--quiet', '--initial-branch=main');
  repository.commit();
  return repository;
}
