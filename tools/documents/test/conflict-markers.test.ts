import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../src/root.ts';

test('no file holds the markers of a merge that nobody has finished', () => {
  expect(conflictMarkers(root)).toEqual([]);
});

test.each(['<<<<<<< HEAD', '||||||| 2137981', '=======', '>>>>>>> 2137981 (A commit)', '>>>>>>>'])(
  '%s is noticed, where it stands',
  (marker) => {
    expect(conflictMarkers(scratch(`# Title\n${marker}\n`))).toEqual([`document.md:2:${marker}`]);
  },
);

test.each(['a <<<<<<< b', '======', '========', '- ======='])('%s is none', (line) => {
  expect(conflictMarkers(scratch(`# Title\n${line}\n`))).toEqual([]);
});

/** The lines of text files, those that are not committed yet included, that git writes into a conflict. */
function conflictMarkers(directory: string): string[] {
  const pattern = '^(<{7}|[|]{7}|={7}|>{7})( |$)';
  const search = ['grep', '--untracked', '--line-number', '-I', '--extended-regexp', pattern];
  const { status, stdout, stderr } = spawnSync('git', search, { cwd: directory, encoding: 'utf8' });
  // 1 is for nothing found.
  if (status !== 0 && status !== 1) throw new Error(`git grep ended with ${status}: ${stderr}`);
  return stdout.split('\n').filter(Boolean);
}

function scratch(document: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'plant-store-markers-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  spawnSync('git', ['init', '--quiet'], { cwd: directory });
  writeFileSync(join(directory, 'document.md'), document);
  return directory;
}
