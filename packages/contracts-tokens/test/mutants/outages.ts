import { mutantTable } from '@plant-store/contracts-kit';
import { type TokenVerdict, VerifierUnavailable } from '@plant-store/domain';
import type { KeyServer } from '../model/key-server.ts';
import { type IssuedToken, ModelVerifier, REFUSED, TIMEOUT_MS, type VerifierClass } from '../model/model-verifier.ts';
import type { VerifierMutant } from './mutant.ts';

/** Break TV-6: one that cannot know throws VerifierUnavailable in time, and recovers. */
export const outages: readonly VerifierMutant[] = mutantTable({
  'TV-6': {
    'refuses every token while it has no keys': failing(async () => REFUSED),
    'lets everybody in while it has no keys': failing(async () => ({ accepted: true, subject: 'a client' })),
    'throws a VerifierUnavailable from another copy of the package': failing(async () => {
      throw Object.assign(new Error('no keys'), { name: 'VerifierUnavailable' });
    }),
    'throws only after twice the time that it may take': failing(async (error, { sleep }) => {
      await sleep(TIMEOUT_MS);
      throw error;
    }),
    'caches the promise of its keys when it was rejected': class extends ModelVerifier {
      #learning: Promise<void> | undefined;

      protected override async learn(): Promise<void> {
        this.#learning ??= super.learn();
        await this.#learning;
      }
    },
    'does not fetch its keys for ten minutes after a failure': class extends ModelVerifier {
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
    'drops its keys when it cannot refresh them, and refuses what they have signed': class extends ModelVerifier {
      protected override async find(text: string): Promise<IssuedToken | undefined> {
        return this.keyServer.outage ? undefined : super.find(text);
      }
    },
    'cannot be made in an outage': class extends ModelVerifier {
      constructor(...parameters: ConstructorParameters<typeof ModelVerifier>) {
        super(...parameters);
        if (this.keyServer.outage) throw new VerifierUnavailable('no keys: is the address right?');
      }
    },
  },
});

/** A verifier with its own way to fail without keys. */
function failing(fail: (error: unknown, keyServer: KeyServer) => Promise<TokenVerdict>): VerifierClass {
  return class extends ModelVerifier {
    override async verify(token: string): Promise<TokenVerdict> {
      try {
        await this.learn();
      } catch (error) {
        return fail(error, this.keyServer);
      }
      return super.verify(token);
    }
  };
}
