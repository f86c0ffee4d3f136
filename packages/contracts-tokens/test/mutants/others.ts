import { mutantTable } from '@plant-store/contracts-kit';
import { type IssuedToken, ModelVerifier, sha256, type VerifierClass } from '../model/model-verifier.ts';
import type { VerifierMutant } from './mutant.ts';

/** Break TV-2: any other text is refused. */
export const others: readonly VerifierMutant[] = mutantTable({
  'TV-2': {
    'accepts a prefix of a token': comparing((text, token) => text !== '' && token.startsWith(text)),
    'accepts what begins with a token': comparing((text, token) => text.startsWith(token)),
    'compares the first 20 characters': comparing((text, token) => text.slice(0, 20) === token.slice(0, 20)),
    'compares the first 72 bytes, as bcrypt does': comparing((text, token) => text.slice(0, 72) === token.slice(0, 72)),
    'compares lengths': comparing((text, token) => text.length === token.length),
    'trims the text': comparing((text, token) => text.trim() === token),
    'takes the scheme off the text': comparing((text, token) => text.replace(/^Bearer /, '') === token),
    'normalizes the text to NFKC': comparing((text, token) => text.normalize('NFKC') === token),
    'compares what Base64 decodes to': comparing((text, token) => sameBytes(text, token, 'base64url')),
    'accepts a token that nobody signed': comparing(
      (text, token) => /^eyJhbGciOiJub25lIn0\./.test(text) || text === token,
    ),
    'takes the text for a regular expression': comparing(isMatch),
    'accepts the digest of a token': comparing((text, token) => text === sha256(token) || text === token),
    'looks the text up among the properties of an object, inherited ones included': class extends ModelVerifier {
      protected override async find(text: string): Promise<IssuedToken | undefined> {
        const clients = Object.fromEntries(this.issued.map((known) => [known.token, known]));
        return text in clients ? this.issued[0] : undefined;
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
