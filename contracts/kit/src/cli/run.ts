/** What a report says besides the verdicts. */
export interface Run {
  /** The program that checked. */
  readonly program: string;
  /** What was checked, without secrets: an address, an engine. */
  readonly subject: string;
  readonly startedAt: Date;
  readonly seconds: number;
}
