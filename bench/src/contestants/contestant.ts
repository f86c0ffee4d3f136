import type { Generator } from '../load/generator.ts';
import type { Load } from '../load/load.ts';
import type { Table } from '../stores/table.ts';
import type { Measurement } from './measurement.ts';

/** One of those that are compared. */
export interface Contestant {
  readonly name: string;
  /** One line for the report: what it is, and what might be held against the comparison. */
  readonly description: string;
  /** Where its plants are: whoever starts it makes the table. */
  readonly engine: 'postgres' | 'sqlite' | undefined;
  /** Why it cannot take part on this machine; undefined when it can. */
  missing?(): string | undefined;
  start(place: Place): Promise<RunningContestant>;
}

/** What a contestant is given. */
export interface Place {
  readonly table: Table | undefined;
  readonly generator: Generator;
}

export interface RunningContestant {
  /** Applies a load; undefined when this contestant has no such load. */
  measure(load: Load): Promise<Measurement | undefined>;
  stop(): Promise<void>;
}
