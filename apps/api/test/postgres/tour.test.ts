import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { scratchDirectory } from '@plant-store/testing';
import { freshDatabase } from '@plant-store/testing/postgres';
import { expect, onTestFinished, test } from 'vitest';

const tour = readFileSync(new URL('../../../../docs/tour.md', import.meta.url), 'utf8');
const [, walk = ''] = tour.split(/^## [34].*/m);
const named = [...walk.matchAll(/`([\w-]+\/src\/[\w/-]+\.ts)`/g)].map(([, file = '']) => file);
const program = fileURLToPath(import.meta.resolve('./files-of-a-post.ts'));

test.each([
  {
    engine: 'sqlite',
    other: 'postgres',
    most: 17,
    open: async () => `sqlite:${await scratchDirectory(onTestFinished)}/p`,
  },
  { engine: 'postgres', other: 'sqlite', most: 17, open: freshDatabase },
])('docs/tour.md names the files that run for a POST on $engine, and no other', async ({ other, most, open }) => {
  const command = ['--conditions=development', program, await open()];
  const ran: string[] = JSON.parse(execFileSync(process.execPath, command, { encoding: 'utf8' }));
  const files = ran.map((path) => path.replace(/^\w+\//, '')).toSorted();
  expect(files).toEqual(named.filter((file) => !file.startsWith(`adapters-${other}/`)).toSorted());
  expect(files.length).toBeLessThanOrEqual(most);
});
