import { read } from '../repository.ts';

/** A line of nights.json. A part that was not run is undefined. */
export interface Night {
  readonly date: string;
  /** With a `+` if there were changes that were not committed. */
  readonly commit: string;
  readonly simulation?: Simulation | undefined;
  /** The tests of real faults. Each delivers at least one fault. */
  readonly faults?: Tests | undefined;
  readonly exhaustive?: Tests | undefined;
  /** The tests that failed, and the parts that ended early. */
  readonly failures: readonly string[];
  /** Repeats the night. */
  readonly command: string;
}

interface Simulation {
  readonly plans: number;
  readonly seed: number;
  /** The effects of each kind of fault. */
  readonly delivered: Readonly<Record<string, number>>;
  /** The plans that reached each state. */
  readonly states: Readonly<Record<string, number>>;
}

interface Tests {
  readonly ran: number;
  readonly of: number;
}

export const nightsPath = 'tools/nights/nights.json';

/** The recorded nights, oldest first. */
export const nights = (): readonly Night[] => JSON.parse(read(nightsPath));
