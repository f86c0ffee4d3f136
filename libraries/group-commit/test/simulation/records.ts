import type { RecordedAnswer, RecordedCall } from '@plant-store/testing';
import { Overloaded, Unavailable } from '../../src/errors.ts';

/** What clients write. Each text is that of one call alone. */
export interface Line {
  readonly key: string;
  text: string;
  readonly size: number;
  readonly isRefused: boolean;
}

export type Result = 'added' | { readonly exists: string };

/** A call of a client. */
export interface ClientCall {
  readonly at: number;
  readonly line: Line;
  readonly called: number;
  readonly deadline: number;
  answered: number;
  answer: Result | Error | undefined;
}

export const isUnanswered = ({ answered }: ClientCall): boolean => answered === Infinity;

/** What finds fault with group commit. Each has a mutant that it alone catches. */
export const oracles = [
  'admission',
  'answers',
  'batches',
  'checks',
  'circuit',
  'closing',
  'deadlines',
  'errors',
  'events',
  'gathering',
  'history',
  'in flight',
  'in time',
  'passing faults',
  'probes',
  'recovery',
  'retries',
  'settling',
  'timers',
] as const;

export type Oracle = (typeof oracles)[number];

/** A promise that was broken. */
export interface Broken {
  readonly oracle: Oracle;
  readonly promise: string;
}

/** What the service has shown of itself, and what was found wrong with it. */
export class Records {
  readonly calls: ClientCall[] = [];
  readonly broken: Broken[] = [];
  /** Everything that has happened, in its order. */
  readonly trace: string[] = [];
  /** What somebody else has written. */
  readonly foreign: RecordedCall<string, string>[] = [];
  /** Of the circuit, the last one last. */
  readonly states: ('open' | 'closed')[] = [];
  isClosing = false;
  /** When the engine was closed. */
  closedAt = Infinity;
  readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  get isOpen(): boolean {
    return this.states.at(-1) === 'open';
  }

  get isClosed(): boolean {
    return this.closedAt < Infinity;
  }

  /** What is expected in the name of an oracle. */
  by(oracle: Oracle): (isSo: boolean, promise: string) => void {
    return (isSo, promise) => {
      if (!isSo) this.broken.push({ oracle, promise: `at ${this.now()} ms: ${promise}` });
    };
  }

  note(event: string): void {
    this.trace.push(`${this.now()} ${event}`);
  }

  begin(line: Line, timeoutMs: number): ClientCall {
    const at = this.calls.length;
    const called = this.now();
    const deadline = called + timeoutMs;
    const call = { at, line: { ...line }, called, deadline, answered: Infinity, answer: undefined };
    this.calls.push(call);
    return call;
  }

  /** @param lost the texts of items that were written by operations which have failed. */
  history(lost: ReadonlySet<string>): readonly RecordedCall<string, string>[] {
    const own = this.calls.map(({ line: { key, text }, called, answered, answer }) => {
      const isRetried = lost.has(text);
      const known = answer instanceof Error && isRetried ? 'unknown' : recorded(answer);
      return { key, value: text, called, answered, answer: known, isRetried };
    });
    return [...own, ...this.foreign];
  }
}

function recorded(answer: Result | Error | undefined): RecordedAnswer<string> {
  if (answer === undefined) return 'unknown';
  if (!(answer instanceof Error)) return answer;
  return answer instanceof Unavailable && !isRefusedAtOnce(answer) ? 'unknown' : 'refused';
}

/** Whether the item was certainly not written. */
export function isRefusedAtOnce(error: Error): boolean {
  return error instanceof Overloaded || isCircuitOpen(error) || error.message === 'the engine is closed';
}

export function isCircuitOpen({ message }: Error): boolean {
  return message.endsWith('(circuit breaker open)');
}
