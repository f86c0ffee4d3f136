import { createHash } from 'node:crypto';
import {
  digestVerifier,
  InvalidTokenEntry,
  newToken,
  parseTokenEntry,
  parseTokenList,
} from '@plant-store/adapters-tokens';
import { describe, expect, test } from 'vitest';

const token = 'a-token.of_16~+/';
const hex = createHash('sha256').update(token).digest('hex');

function messageOf(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidTokenEntry);
    expect(error).toHaveProperty('name', 'InvalidTokenEntry');
    return (error as InvalidTokenEntry).message;
  }
  return expect.unreachable('it was accepted');
}

describe('an entry', () => {
  test.each([
    ['a token in the clear', token],
    ['a token with padding', `${token}==`],
    ['a token in white space', `\t ${token} \r`],
    ['a digest', `sha256:${hex}`],
    ['a digest in capitals', `sha256:${hex.toUpperCase()}`],
  ])('is %s', (_, entry) => {
    expect(parseTokenEntry(entry).bytes).toHaveLength(32);
  });

  test('in the clear and as its digest is the same', () => {
    expect(parseTokenEntry(token)).toEqual(parseTokenEntry(`sha256:${hex}`));
  });

  test('has a subject that identifies its line in the file', () => {
    expect(parseTokenEntry(token).subject).toBe(`sha256:${hex.slice(0, 8)}`);
  });

  test.each([
    ['empty', ''],
    ['two words', 'hunter2hunter2 hunter2hunter2'],
    ['not ASCII', 'hünter2hünter2hünter2'],
    ['with a character that is not in the syntax', 'hunter2:hunter2:hunter2'],
    ['with = in the middle', 'hunter2=hunter2hunter2'],
    ['nothing but padding', '='.repeat(20)],
    ['a digest under another name', `SHA256:${hex}`],
    ['a digest of another kind', `sha512:${hex}${hex}`],
  ])('is not %s: no client could send it', (_, entry) => {
    const message = messageOf(() => parseTokenEntry(entry));
    expect(message).toMatch(
      /no client could send another one \(RFC 6750 section 2\.1, b64token\)\. Write another token, or/,
    );
    expect(message).not.toMatch(/hunter2|hünter2/);
    expect(message).not.toContain(hex.slice(0, 8));
  });

  test.each([
    ['shorter', 'fifteen-charact'],
    ['longer', 'x'.repeat(1_025)],
  ])('is not %s than a token may be', (_, entry) => {
    const message = messageOf(() => parseTokenEntry(entry));
    expect(message).toMatch(`must be 16 to 1024 characters long, this one has ${entry.length}`);
    expect(message).not.toContain(entry);
  });

  test.each([
    ['too few digits', hex.slice(1)],
    ['too many digits', `${hex}0`],
    ['other characters', `${hex.slice(0, 63)}g`],
    ['a token in the clear', 'hunter2hunter2hunter2'],
    ['nothing', ''],
  ])('is not sha256: and %s', (_, digits) => {
    const message = messageOf(() => parseTokenEntry(`sha256:${digits}`));
    expect(message).toMatch(/there must be 64 hexadecimal digits/);
    expect(message).not.toContain('hunter2');
    expect(message).not.toContain(hex.slice(1, 9));
  });
});

test.each([16, 1_024])('a token may have %d characters', async (length) => {
  const longest = 'x'.repeat(length);
  const verifier = digestVerifier([{ digests: [parseTokenEntry(longest)] }]);
  expect(await verifier.verify(longest)).toMatchObject({ accepted: true });
});

describe('a list', () => {
  test('is separated by commas; empty entries are ignored', () => {
    expect(parseTokenList(`${token}, sha256:${hex},,`)).toHaveLength(2);
    expect(parseTokenList('')).toEqual([]);
  });

  test('has no comments, which only a file has', () => {
    expect(messageOf(() => parseTokenList(`${token},# of the tests`))).toMatch(/^entry 2: /);
  });

  test('names the entry that is malformed, and does not show it', () => {
    const message = messageOf(() => parseTokenList(`${token},hunter2`));
    expect(message).toMatch(/^entry 2: /);
    expect(message).not.toContain('hunter2');
  });
});

describe('a new token', () => {
  test('is recognizable, has 256 random bits, and is accepted by its entry', async () => {
    const made = newToken();
    const [, random = ''] = made.token.match(/^plant_([A-Za-z0-9_-]{43})$/) ?? [];
    expect(Buffer.from(random, 'base64url')).toHaveLength(32);
    expect(made.entry).toMatch(/^sha256:[0-9a-f]{64}$/);
    const verifier = digestVerifier([{ digests: [parseTokenEntry(made.entry)] }]);
    expect(await verifier.verify(made.token)).toEqual({ accepted: true, subject: made.entry.slice(0, 15) });
  });

  test('is different every time', () => {
    expect(new Set(Array.from({ length: 1_000 }, () => newToken().token)).size).toBe(1_000);
  });
});

test('a digest does not accept a token that cannot be sent, or is too short to be safe', async () => {
  for (const text of ['short', 'pass word pass word', 'x'.repeat(1_025)]) {
    const digest = createHash('sha256').update(text).digest('hex');
    const verifier = digestVerifier([{ digests: [parseTokenEntry(`sha256:${digest}`)] }]);
    expect(await verifier.verify(text)).toMatchObject({ accepted: false });
  }
});

test('a token that is listed by its digest but too short is rejected, and the log says why; the digest cannot show it', async () => {
  const short = 'fifteen-charact';
  const digest = createHash('sha256').update(short).digest('hex');
  const verifier = digestVerifier([{ digests: parseTokenList(`sha256:${digest}`) }]);
  expect(await verifier.verify(short)).toEqual({
    accepted: false,
    reason: 'a listed token, but too short: a token needs at least 16 characters; replace it (plant-store token new)',
  });
  expect(await verifier.verify('another-one')).toEqual({
    accepted: false,
    reason: 'not an opaque token: expected 16–1024 characters of b64token',
  });
});
