import type { Generator } from '../load/generator.ts';
import type { Load } from '../load/load.ts';
import type { Table } from '../stores/table.ts';
import type { Measurement } from './measurement.ts';

/** A program that is measured. */
export interface Contestant {
  readonly name: string;
  /** One line for the report: what it is, and what might make the comparison unfair. */
  readonly description: string;
  /** Where its plants are; its table is created before it starts. */
  readonly engine: 'postgres' | 'mysql' | 'sqlite' | undefined;
  /** Why it cannot run on this machine; undefined if it can. */
  missing?(): string | undefined;
  start(place: Place): Promise<RunningContestant>;
}

/** Given to a contestant. */
export interface Place {
  readonly table: Table | undefined;
  readonly generator: Generator;
}

export interface RunningContestant {
  /** Applies a load; undefined if it does not support the load. */
  measure(load: Load): Promise<Measurement | undefined>;
  stop(): Promise<void>;
}
