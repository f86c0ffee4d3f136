import { createHash } from 'node:crypto';
import { digestVerifier, newToken, parseTokenEntry, parseTokenList } from '@plant-store/adapters-tokens';
import { expect, test } from 'vitest';

const token = 'a-token.of_16~+/';
const hexOf = (text: string) => createHash('sha256').update(text).digest('hex');
const hex = hexOf(token);

test.each([
  ['a token in the clear', token, token],
  ['a token with padding', `${token}==`, `${token}==`],
  ['a token in white space', `\t ${token} \r`, token],
  ['a digest', `sha256:${hex}`, token],
  ['a digest in capitals', `sha256:${hex.toUpperCase()}`, token],
  ['a token of 1,024 characters', 'x'.repeat(1_024), 'x'.repeat(1_024)],
])('an entry is %s, and its subject identifies its line in the file', async (_, entry, accepted) => {
  const digest = parseTokenEntry(entry);
  const subject = `sha256:${hexOf(accepted).slice(0, 8)}`;
  expect(digest).toEqual({ bytes: Buffer.from(hexOf(accepted), 'hex'), subject });
  expect(await digestVerifier([{ digests: [digest] }]).verify(accepted)).toEqual({ accepted: true, subject });
});

test.each([
  ['empty', ''],
  ['two words', 'hunter2hunter2 hunter2hunter2'],
  ['not ASCII', 'hünter2hünter2hünter2'],
  ['with a character that is not in the syntax', 'hunter2:hunter2:hunter2'],
  ['with = in the middle', 'hunter2=hunter2hunter2'],
  ['nothing but padding', '='.repeat(20)],
  ['a digest under another name', `SHA256:${hex}`],
  ['too short', 'fifteen-hunter2'],
  ['too long', 'hunter2'.padEnd(1_025, 'x')],
  ['a digest with too few digits', `sha256:${hex.slice(1)}`],
  ['a digest with too many digits', `sha256:${hex}0`],
  ['a digest with other characters', `sha256:${hex.slice(0, 63)}g`],
  ['a token behind sha256:', 'sha256:hunter2hunter2hunter2'],
])('an entry is not %s, and the message does not show it', (_, entry) => {
  const parse = () => parseTokenEntry(entry);
  expect(parse).toThrow(RangeError);
  expect(parse).toThrow(
    /^expected a token of 16 to 1024 of the characters .* \(RFC 6750 section 2\.1, b64token\), or "sha256:" and the 64/,
  );
  expect(parse).toThrow(`; this one has ${entry.length} characters`);
  expect(parse).not.toThrow(new RegExp(`hunter2|hünter2|${hex.slice(1, 9)}`));
});

test('a list is separated by commas; empty entries are ignored, but there is a token', () => {
  expect(parseTokenList(`${token}, sha256:${hex},,`)).toHaveLength(2);
  expect(() => parseTokenList(' ,')).toThrow(/^it contains no token$/);
});

test.each(['hunter2', '# of the tests'])('a list has only entries, and names the malformed one: %s', (entry) => {
  const parse = () => parseTokenList(`${token},${entry}`);
  expect(parse).toThrow(/^entry 2: expected a token/);
  expect(parse).not.toThrow(entry);
});

test('a new token is recognizable, has 256 random bits, and is accepted by its entry', async () => {
  const made = newToken();
  const [, random = ''] = made.token.match(/^plant_([A-Za-z0-9_-]{43})$/) ?? [];
  expect(Buffer.from(random, 'base64url')).toHaveLength(32);
  expect(made.entry).toMatch(/^sha256:[0-9a-f]{64}$/);
  const verifier = digestVerifier([{ digests: [parseTokenEntry(made.entry)] }]);
  expect(await verifier.verify(made.token)).toEqual({ accepted: true, subject: made.entry.slice(0, 15) });
  expect(newToken().token).not.toBe(made.token);
});

const unfit = 'not a listed token, which has 16–1024 characters';
test.each([
  ['fifteen-charact', 'fifteen-charact', unfit],
  ['fifteen-charact', 'another-one', unfit],
  ['pass word pass word', 'another word', unfit],
  ['x'.repeat(1_025), 'x'.repeat(1_025), unfit],
  [token, 'another-token-of-16', 'not a listed token'],
])('a digest cannot show what it stands for: listed %s, presented %s', async (listed, presented, reason) => {
  const verifier = digestVerifier([{ digests: parseTokenList(`sha256:${hexOf(listed)}`) }]);
  expect(await verifier.verify(presented)).toEqual({ accepted: false, reason });
});
