import { type IssuedToken, ModelVerifier, sha256 } from '../model/model-verifier.ts';
import type { VerifierMutant } from './mutant.ts';

/** Break TV-2: any other text is refused. */
export const others: readonly VerifierMutant[] = [
  comparing('accepts a prefix of a token', (text, token) => text !== '' && token.startsWith(text)),
  comparing('accepts an empty text', (text, token) => text === '' || text === token),
  comparing('accepts what begins with a token', (text, token) => text.startsWith(token)),
  comparing('accepts what ends with a token', (text, token) => text.endsWith(token)),
  comparing('compares the first 20 characters', (text, token) => text.slice(0, 20) === token.slice(0, 20)),
  comparing('compares the first 72 bytes, as bcrypt does', (text, token) => text.slice(0, 72) === token.slice(0, 72)),
  comparing('compares up to U+0000, as C does', (text, token) => text.split('\0')[0] === token),
  comparing('compares lengths', (text, token) => text.length === token.length),
  comparing('ignores case', (text, token) => text.toLowerCase() === token.toLowerCase()),
  comparing('trims the text', (text, token) => text.trim() === token),
  comparing('takes quotes off the text', (text, token) => text.replace(/^"(.*)"$/, '$1') === token),
  comparing('takes the scheme off the text', (text, token) => text.replace(/^Bearer /, '') === token),
  comparing('takes percent-encoding off the text', (text, token) => text.replace('%70', 'p') === token),
  comparing('normalizes the text to NFKC', (text, token) => text.normalize('NFKC') === token),
  comparing('compares the text in Latin-1', (text, token) => Buffer.from(text, 'latin1').toString('latin1') === token),
  comparing('compares what Base64 decodes to', (text, token) => sameBytes(text, token, 'base64url')),
  comparing('has the token «undefined», from a variable that is not set', (text, token) =>
    [token, 'undefined'].includes(text),
  ),
  comparing(
    'accepts a token that nobody signed',
    (text, token) => /^eyJhbGciOiJub25lIn0\./.test(text) || text === token,
  ),
  comparing('puts the text into a statement', (text, token) => text.includes("' OR ''='") || text === token),
  comparing('takes the text for a regular expression', isMatch),
  comparing('takes the text for a pattern of LIKE', (text, token) => text === '%' || text === token),
  comparing('accepts the digest of a token', (text, token) => text === sha256(token) || text === token),
  [
    'TV-2',
    'looks the text up among the properties of an object, inherited ones included',
    class extends ModelVerifier {
      protected override async find(text: string): Promise<IssuedToken | undefined> {
        const clients = Object.fromEntries(this.issued.map((known) => [known.token, known]));
        return text in clients ? this.issued[0] : undefined;
      }
    },
  ],
  [
    'TV-2',
    'stores the text of a request where the next request overwrites it',
    class extends ModelVerifier {
      #presented = '';

      protected override async find(text: string): Promise<IssuedToken | undefined> {
        this.#presented = text;
        await this.sleep(1);
        return super.find(this.#presented);
      }
    },
  ],
  [
    'TV-2',
    'goes on accepting a token that was revoked',
    class extends ModelVerifier {
      protected override async find(text: string): Promise<IssuedToken | undefined> {
        return [...this.issued, ...this.revoked].find((known) => this.matches(text, known));
      }
    },
  ],
];

function comparing(does: string, isAccepted: (text: string, token: string) => boolean): VerifierMutant {
  const Verifier = class extends ModelVerifier {
    protected override matches(text: string, { token }: IssuedToken): boolean {
      return isAccepted(text, token);
    }
  };
  return ['TV-2', does, Verifier];
}

function sameBytes(a: string, b: string, encoding: BufferEncoding): boolean {
  return Buffer.from(a, encoding).equals(Buffer.from(b, encoding));
}

function isMatch(pattern: string, token: string): boolean {
  try {
    return new RegExp(`^(?:${pattern})$`).test(token);
  } catch {
    return false;
  }
}
