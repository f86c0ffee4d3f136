import { createHash } from 'node:crypto';
import { newToken, parseTokenList } from '@plant-store/adapters-tokens';
import { expect, test } from 'vitest';

const token = 'a-token.of_16~+/';
const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const hex = hash(token);

test.each([
  ['a token with padding', `${token}==`, `${token}==`],
  ['a token in white space', `\t ${token} \r`, token],
  ['a digest in capitals', `sha256:${hex.toUpperCase()}`, token],
  ['a token of 1,024 characters', 'x'.repeat(1_024), 'x'.repeat(1_024)],
  ['among comments, after a byte order mark', `# Bob, until March\r\n\r\n${token}\r\n#`, token],
])('an entry is %s, and its subject has the first digits of its digest', (_, entry, accepted) => {
  const list = parseTokenList(entry);
  for (const _time of [1, 2]) expect(list.findSubject(accepted)).toBe(`sha256:${hash(accepted).slice(0, 8)}`);
});

test.each([
  ['two words', 'hunter2hunter2 hunter2hunter2'],
  ['not ASCII', 'hünter2hünter2hünter2'],
  ['with a character that is not in the syntax', 'hunter2:hunter2:hunter2'],
  ['with = in the middle', 'hunter2=hunter2hunter2'],
  ['nothing but padding', '='.repeat(20)],
  ['too short', 'fifteen-hunter2'],
  ['too long', 'hunter2'.padEnd(1_025, 'x')],
  ['a digest with too few digits', `sha256:${hex.slice(1)}`],
  ['a digest with other characters', `sha256:${hex.slice(0, 63)}g`],
])('an entry is not %s, and the message does not show it', (_, entry) => {
  const parse = () => parseTokenList(`${token},, ${entry}`);
  expect(parse).toThrow(RangeError);
  expect(parse).toThrow(/^entry 3: expected a token of 16 to 1024 of the characters .*; this one has \d+ characters$/);
  expect(parse).not.toThrow(new RegExp(`hunter2|hünter2|${hex.slice(1, 9)}`));
});

test('a new token is recognizable, has 256 random bits, and is accepted by its entry', () => {
  const { token, entry } = newToken();
  expect(token).toMatch(/^plant_[A-Za-z0-9_-]{43}$/);
  expect(parseTokenList(entry).findSubject(token)).toBe(entry.slice(0, 15));
  expect(newToken().token).not.toBe(token);
});

test.each(['fifteen-charact', 'x'.repeat(1_025)])('a digest of %s admits no token: it could be guessed', (listed) => {
  expect(parseTokenList(`sha256:${hash(listed)}`).findSubject(listed)).toBeUndefined();
});
