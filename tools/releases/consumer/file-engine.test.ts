// An engine of group-commit that appends to a file, with its contract. `settle` and faults are left out.
import { closeSync, fsyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EngineHarness, engineContract } from '@plant-store/contracts-engines';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { type BatchEngine, groupCommit, Unavailable } from '@plant-store/group-commit';
import { expect, test } from 'vitest';

interface Item {
  readonly key: string;
  readonly text: string;
}

/** The text under the key, and whether this item brought it. */
interface Stored {
  readonly text: string;
  readonly isNew: boolean;
}

function fileEngine(path: string): BatchEngine<Item, Stored> {
  const texts = new Map(itemsIn(path).map(({ key, text }) => [key, text]));
  const file = openSync(path, 'a');
  let isOpen = true;
  function assertOpen(): void {
    if (!isOpen) throw new Unavailable('the file is closed');
  }
  return {
    // Synchronous, so that no other batch is written between the lookup and the write.
    async write(items) {
      assertOpen();
      const added = items.filter(({ key, text }) => text !== '' && !texts.has(key));
      writeFileSync(file, added.map((item) => `${JSON.stringify(item)}\n`).join(''));
      fsyncSync(file);
      for (const { key, text } of added) texts.set(key, text);
      return items.map((item) => {
        const text = texts.get(item.key);
        if (text === undefined) return { refused: new Error('it is empty') };
        return { done: { text, isNew: added.includes(item) } };
      });
    },
    async probe() {
      assertOpen();
      fsyncSync(file);
    },
    async close() {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}

function itemsIn(path: string): readonly Item[] {
  const lines = readFileSync(path, { encoding: 'utf8', flag: 'a+' }).split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

const harness: EngineHarness<Item, Stored> = {
  async prepare() {
    const directory = mkdtempSync(join(tmpdir(), 'file-engine-'));
    const path = join(directory, 'items');
    return {
      Unavailable,
      open: async () => fileEngine(path),
      item: (number, text) => ({ key: `${number}`, text }),
      stored: async () => itemsIn(path).map(({ key, text }) => ({ number: Number(key), text })),
      dispose: async () => rmSync(directory, { recursive: true }),
      existing: ({ text, isNew }) => (isNew ? undefined : text),
      refused: { key: 'refused', text: '' },
    };
  },
};

// Nobody else locks the file, and its faults would need another disk.
describeContract(engineContract, harness, { notChecked: ['GE-3', 'GE-7', 'GE-8', 'GE-9', 'GE-11', 'GE-12'] });

test('group commit writes to the file', async () => {
  const place = await harness.prepare();
  const items = groupCommit(await place.open(), { keyOf: ({ key }: Item) => key });
  await Promise.all(['a', 'b', 'a'].map((text, at) => items.submit({ key: `${at}`, text })));
  expect(await place.stored()).toEqual(['a', 'b', 'a'].map((text, number) => ({ number, text })));
  await items.close();
  await place.dispose();
});
