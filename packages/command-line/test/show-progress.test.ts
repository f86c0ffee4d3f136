import { describe, expect, test } from 'vitest';
import { progressText } from '../src/show-progress.ts';

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
