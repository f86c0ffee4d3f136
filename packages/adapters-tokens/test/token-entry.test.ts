import { createHash } from 'node:crypto';
import { digestVerifier, newToken, parseTokenEntry, parseTokenList } from '@plant-store/adapters-tokens';
import { expect, test } from 'vitest';

const token = 'a-token.of_16~+/';
const hexOf = (text: string) => createHash('sha256').update(text).digest('hex');
const hex = hexOf(token);

test.each([
  ['a token with padding', `${token}==`, `${token}==`],
  ['a token in white space', `\t ${token} \r`, token],
  ['a digest in capitals', `sha256:${hex.toUpperCase()}`, token],
  ['a token of 1,024 characters', 'x'.repeat(1_024), 'x'.repeat(1_024)],
])('an entry is %s, and its subject identifies its line in the file', async (_, entry, accepted) => {
  const digest = parseTokenEntry(entry);
  const subject = `sha256:${hexOf(accepted).slice(0, 8)}`;
  // No more than that stays in memory.
  expect(digest).toEqual({ bytes: Buffer.from(hexOf(accepted), 'hex'), subject });
  expect(await digestVerifier([{ digests: [digest] }]).verify(accepted)).toMatchObject({ accepted: true, subject });
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
  expect(parse).toThrow(/^entry 3: expected a token of 16 to 1024 of the characters .* \(RFC 6750 section 2\.1, b64/);
  expect(parse).toThrow(`; this one has ${entry.length} characters`);
  expect(parse).not.toThrow(new RegExp(`hunter2|hünter2|${hex.slice(1, 9)}`));
});

test('a new token is recognizable, has 256 random bits, and is accepted by its entry', async () => {
  const made = newToken();
  expect(made.token).toMatch(/^plant_[A-Za-z0-9_-]{43}$/);
  const { verify } = digestVerifier([{ digests: [parseTokenEntry(made.entry)] }]);
  expect(await verify(made.token)).toMatchObject({ accepted: true, subject: made.entry.slice(0, 15) });
  expect(newToken().token).not.toBe(made.token);
});

test.each(['fifteen-charact', 'x'.repeat(1_025)])(
  'a digest of %s admits no token: it could be guessed, or floods',
  async (listed) => {
    const { verify } = digestVerifier([{ digests: parseTokenList(`sha256:${hexOf(listed)}`) }]);
    const reason = 'not a listed token, which has 16–1024 characters';
    expect(await verify(listed)).toEqual({ accepted: false, reason });
  },
);
