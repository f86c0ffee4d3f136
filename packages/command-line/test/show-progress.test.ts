import { expect, test } from 'vitest';
import { progressText } from '../src/show-progress.ts';

test.each([
  [undefined, '100/s, 1,000 stored, 0 rejected'],
  [0, '100/s, 1,000 stored, 0 rejected'],
  [0.125, '12 %  100/s, 70 s left  1,000 stored, 0 rejected'],
  [0.01, '1 %  100/s, 17 min left  1,000 stored, 0 rejected'],
  [1, '100 %  100/s, 0 s left  1,000 stored, 0 rejected'],
])('a line of progress leads with the rate and the time left: %s', (share, text) => {
  expect(progressText({ done: 1_000, rest: 'stored, 0 rejected', share }, 10)).toBe(text);
});
