import type { Clause, Contract } from '../contract.ts';
import { NotChecked } from '../contract-violation.ts';

/** A contract for one run that stops if its subject becomes unreachable. */
export interface StoppableRun<Subject> {
  readonly contract: Contract<Subject>;
  /** Where it stopped; undefined if it did not. */
  readonly stopped: () => Stopped | undefined;
}

/** Where the subject became unreachable. */
export interface Stopped {
  /** The clause that was being checked. */
  readonly during: string;
  /** The clause before it, after which the subject still responded; undefined if it was the first. */
  readonly lastAnswered: string | undefined;
  /** For a person. */
  readonly message: string;
}

/**
 * If the subject dies during a clause, the following clauses are not checked: each would only report a refused connection
 * and hide the clause that caused it.
 *
 * @param whyUnreachable called when a clause fails; resolves with undefined if the subject responds.
 */
export function stopWhenUnreachable<Subject>(
  contract: Contract<Subject>,
  whyUnreachable: () => Promise<string | undefined>,
): StoppableRun<Subject> {
  let stopped: Stopped | undefined;
  let lastAnswered: string | undefined;

  async function stopIfUnreachable(id: string): Promise<void> {
    const reason = await whyUnreachable();
    if (reason === undefined) return;
    const before =
      lastAnswered === undefined ? 'It was the first clause.' : `After ${lastAnswered} it still responded.`;
    const message = `the service became unreachable while ${id} was being checked: ${reason}. ${before} Check its log; the clauses after ${id} were not checked.`;
    stopped = { during: id, lastAnswered, message };
  }

  const guarded = ({ id, check, ...clause }: Clause<Subject>): Clause<Subject> => ({
    ...clause,
    id,
    async check(...given) {
      if (stopped) throw new NotChecked(`the service became unreachable during ${stopped.during}`);
      try {
        await check(...given);
      } catch (error) {
        if (!(error instanceof NotChecked)) await stopIfUnreachable(id);
        throw error;
      } finally {
        if (!stopped) lastAnswered = id;
      }
    },
  });
  return { contract: { ...contract, clauses: contract.clauses.map(guarded) }, stopped: () => stopped };
}
