import { describe, expect, test } from 'vitest';
import { importPlants, type Progress } from '../../src/bulk/import/import-plants.ts';
import { readNdjson } from '../../src/bulk/records/read-ndjson.ts';
import { progressText } from '../../src/bulk/show-progress.ts';
import { plants } from '../imports-and-exports.ts';

describe('a line of progress', () => {
  const shown = { done: 1_000, rest: 'stored, 0 rejected', bytes: { done: 500, skipped: 250, size: 1_000 } };

  test('leads with the rate and the time left, not counting what was skipped', () => {
    expect(progressText(shown, 10, 80)).toBe('██████████░░░░░░░░░░ 50 %  100/s, 20 s left  1,000 stored, 0 rejected');
    expect(progressText({ ...shown, bytes: undefined }, 10, 80)).toBe('100/s, 1,000 stored, 0 rejected');
  });

  test('has a bar in the remaining columns, or none', () => {
    expect(progressText(shown, 10, 57)).toBe('███░░░░ 50 %  100/s, 20 s left  1,000 stored, 0 rejected');
    expect(progressText(shown, 10, 50)).toBe('50 %  100/s, 20 s left  1,000 stored, 0 rejected');
  });
});

test('what is read and in flight is not done yet', async () => {
  const text = `${plants(1, 4)}hello\n`;
  async function* chunks() {
    yield Buffer.from(text);
  }
  const progress: Progress = { stored: 0, rejected: 0, bytes: 0, skipped: undefined, waitingFor: undefined };
  const seen: number[] = [];
  await importPlants(readNdjson(chunks(), { maxBytes: 100, fromLine: 2 }), {
    create: async (plant) => {
      seen.push(progress.bytes);
      return { outcome: 'created', plant };
    },
    fromLine: 2,
    concurrency: 1,
    onRejected: async () => {},
    signal: new AbortController().signal,
    progress,
  });
  const line = plants(1, 1).length;
  // The line feed of the line in flight is counted.
  expect(seen).toEqual([0, 2 * line, 3 * line]);
  expect(progress).toMatchObject({ bytes: text.length, skipped: line + 1 });
});
