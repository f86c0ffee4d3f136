import { mutantTable } from '@plant-store/contracts-kit';
import { type IssuedToken, ModelVerifier, sha256, type VerifierClass } from '../model/model-verifier.ts';
import type { VerifierMutant } from './mutant.ts';

/** Break TV-2: any other text is refused. */
export const others: readonly VerifierMutant[] = mutantTable({
  'TV-2': {
    'accepts a prefix of a token': comparing((text, token) => text !== '' && token.startsWith(text)),
    'accepts an empty text': comparing((text, token) => text === '' || text === token),
    'accepts what begins with a token': comparing((text, token) => text.startsWith(token)),
    'accepts what ends with a token': comparing((text, token) => text.endsWith(token)),
    'compares the first 20 characters': comparing((text, token) => text.slice(0, 20) === token.slice(0, 20)),
    'compares the first 72 bytes, as bcrypt does': comparing((text, token) => text.slice(0, 72) === token.slice(0, 72)),
    'compares up to U+0000, as C does': comparing((text, token) => text.split('\0')[0] === token),
    'compares lengths': comparing((text, token) => text.length === token.length),
    'ignores case': comparing((text, token) => text.toLowerCase() === token.toLowerCase()),
    'trims the text': comparing((text, token) => text.trim() === token),
    'takes quotes off the text': comparing((text, token) => text.replace(/^"(.*)"$/, '$1') === token),
    'takes the scheme off the text': comparing((text, token) => text.replace(/^Bearer /, '') === token),
    'takes percent-encoding off the text': comparing((text, token) => text.replace('%70', 'p') === token),
    'normalizes the text to NFKC': comparing((text, token) => text.normalize('NFKC') === token),
    'compares the text in Latin-1': comparing(
      (text, token) => Buffer.from(text, 'latin1').toString('latin1') === token,
    ),
    'compares what Base64 decodes to': comparing((text, token) => sameBytes(text, token, 'base64url')),
    'has the token «undefined», from a variable that is not set': comparing((text, token) =>
      [token, 'undefined'].includes(text),
    ),
    'accepts a token that nobody signed': comparing(
      (text, token) => /^eyJhbGciOiJub25lIn0\./.test(text) || text === token,
    ),
    'puts the text into a statement': comparing((text, token) => text.includes("' OR ''='") || text === token),
    'takes the text for a regular expression': comparing(isMatch),
    'takes the text for a pattern of LIKE': comparing((text, token) => text === '%' || text === token),
    'accepts the digest of a token': comparing((text, token) => text === sha256(token) || text === token),
    'looks the text up among the properties of an object, inherited ones included': class extends ModelVerifier {
      protected override async find(text: string): Promise<IssuedToken | undefined> {
        const clients = Object.fromEntries(this.issued.map((known) => [known.token, known]));
        return text in clients ? this.issued[0] : undefined;
      }
    },
    'stores the text of a request where the next request overwrites it': class extends ModelVerifier {
      #presented = '';

      protected override async find(text: string): Promise<IssuedToken | undefined> {
        this.#presented = text;
        await this.sleep(1);
        return super.find(this.#presented);
      }
    },
    'goes on accepting a token that was revoked': class extends ModelVerifier {
      protected override async find(text: string): Promise<IssuedToken | undefined> {
        return [...this.issued, ...this.revoked].find((known) => this.matches(text, known));
      }
    },
  },
});

function comparing(isAccepted: (text: string, token: string) => boolean): VerifierClass {
  return class extends ModelVerifier {
    protected override matches(text: string, { token }: IssuedToken): boolean {
      return isAccepted(text, token);
    }
  };
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
