import { type TokenVerdict, VerifierUnavailable } from '@plant-store/domain';
import type { KeyServer } from '../model/key-server.ts';
import { type IssuedToken, ModelVerifier, REFUSED, TIMEOUT_MS } from '../model/model-verifier.ts';
import type { VerifierMutant } from './mutant.ts';

/** Break TV-6: one that cannot know throws VerifierUnavailable in time, and recovers. */
export const outages: readonly VerifierMutant[] = [
  failing('refuses every token while it has no keys', async () => REFUSED),
  failing('lets everybody in while it has no keys', async () => ({ accepted: true, subject: 'a client' })),
  failing('throws an error of its client while it has no keys', async () => {
    throw new TypeError('fetch failed');
  }),
  failing('throws a VerifierUnavailable from another copy of the package', async () => {
    throw Object.assign(new Error('no keys'), { name: 'VerifierUnavailable' });
  }),
  failing('throws only after twice the time that it may take', async (error, { sleep }) => {
    await sleep(TIMEOUT_MS);
    throw error;
  }),
  [
    'TV-6',
    'caches the promise of its keys when it was rejected',
    class extends ModelVerifier {
      #learning: Promise<void> | undefined;

      protected override async learn(): Promise<void> {
        this.#learning ??= super.learn();
        await this.#learning;
      }
    },
  ],
  [
    'TV-6',
    'does not fetch its keys for ten minutes after a failure',
    class extends ModelVerifier {
      #failed = false;

      protected override async learn(): Promise<void> {
        if (this.#failed) throw new VerifierUnavailable('cooling down');
        try {
          await super.learn();
        } catch (error) {
          this.#failed = true;
          void this.sleep(600_000).then(() => {
            this.#failed = false;
          });
          throw error;
        }
      }
    },
  ],
  [
    'TV-6',
    'drops its keys when it cannot refresh them, and refuses what they have signed',
    class extends ModelVerifier {
      protected override async find(text: string): Promise<IssuedToken | undefined> {
        return this.keyServer.outage ? undefined : super.find(text);
      }
    },
  ],
  [
    'TV-6',
    'accepts every token that it cannot look up anew',
    class extends ModelVerifier {
      protected override async find(text: string): Promise<IssuedToken | undefined> {
        return this.keyServer.outage ? this.issued[0] : super.find(text);
      }
    },
  ],
  [
    'TV-6',
    'cannot be made in an outage',
    class extends ModelVerifier {
      constructor(...parameters: ConstructorParameters<typeof ModelVerifier>) {
        super(...parameters);
        if (this.keyServer.outage) throw new VerifierUnavailable('no keys: is the address right?');
      }
    },
  ],
];

/** A verifier with its own way to fail without keys. */
function failing(does: string, fail: (error: unknown, keyServer: KeyServer) => Promise<TokenVerdict>): VerifierMutant {
  const Verifier = class extends ModelVerifier {
    override async verify(token: string): Promise<TokenVerdict> {
      try {
        await this.learn();
      } catch (error) {
        return fail(error, this.keyServer);
      }
      return super.verify(token);
    }
  };
  return ['TV-6', does, Verifier];
}
