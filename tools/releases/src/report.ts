/** What became of a committed report when it was compared with what is there now. */
export interface Report {
  /** The committed file, from the root of the repository: `packages/domain/api/contract.api.md`. */
  readonly file: string;
  /** It differed from what is there now, or was missing. */
  readonly changed: boolean;
  /** What is wrong with the code that it reports on, a line each. */
  readonly complaints: readonly string[];
}
