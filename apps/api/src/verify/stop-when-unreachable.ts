import { type Clause, type Contract, NotChecked } from '@plant-store/contracts-kit';

/** A contract for one run, and why the run came to nothing before its end; undefined where it did not. */
export interface UntilItGoesAway<Subject> {
  readonly contract: Contract<Subject>;
  readonly stopped: () => Stopped | undefined;
}

/** Where the subject went away. */
export interface Stopped {
  /** The clause that was being checked. */
  readonly during: string;
  /** The clause before it, after which the subject still answered; undefined where there was none. */
  readonly lastAnswered: string | undefined;
  /** For a person. */
  readonly message: string;
}

/**
 * Otherwise, when a subject ends in the middle, each clause behind says no more than that nobody is there, and hides the
 * one that brought it down. Clauses behind that one are not checked.
 *
 * @param reasonOfSilence asked whenever a clause is broken: why nobody answers; undefined where somebody does.
 */
export function untilItGoesAway<Subject>(
  contract: Contract<Subject>,
  reasonOfSilence: () => Promise<string | undefined>,
): UntilItGoesAway<Subject> {
  let stopped: Stopped | undefined;
  let lastAnswered: string | undefined;

  async function lookAfter(id: string): Promise<void> {
    const reason = await reasonOfSilence();
    if (reason === undefined) return;
    const before = lastAnswered === undefined ? 'It was the first.' : `After ${lastAnswered} it still answered.`;
    const message = `the service went away while ${id} was being checked: ${reason}. ${before} Its log may say why; the clauses behind ${id} were not checked.`;
    stopped = { during: id, lastAnswered, message };
  }

  const guarded = ({ id, check, ...clause }: Clause<Subject>): Clause<Subject> => ({
    ...clause,
    id,
    async check(...given) {
      if (stopped) throw new NotChecked(`the service went away during ${stopped.during}`);
      try {
        await check(...given);
      } catch (error) {
        if (!(error instanceof NotChecked)) await lookAfter(id);
        throw error;
      } finally {
        if (!stopped) lastAnswered = id;
      }
    },
  });
  return { contract: { ...contract, clauses: contract.clauses.map(guarded) }, stopped: () => stopped };
}
