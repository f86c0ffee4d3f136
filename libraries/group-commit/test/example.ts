import { open } from 'node:fs/promises';
import { groupCommit } from '@plant-store/group-commit';

/** Opens a log whose lines are on the disk once `submit` resolves. Lines that arrive together share one sync. */
export async function openLog(path: string) {
  const file = await open(path, 'a');
  const engine = {
    async write(lines: readonly string[]) {
      await file.appendFile(lines.map((line) => `${line}\n`).join(''));
      await file.datasync();
      return lines.map(() => 'stored' as const);
    },
    probe: () => file.datasync(),
    close: () => file.close(),
  };
  // Each line is an item of its own, and the order matters.
  return groupCommit(engine, { toKey: () => Symbol() }, { maxWrites: 1 });
}
