import type { RecordedAnswer, RecordedCall } from '@plant-store/testing-servers';
import { Misconfigured, Overloaded, Unavailable } from '../../src/errors.ts';

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

/** What the service has shown of itself, and what was found wrong with it. */
export class Records {
  readonly calls: ClientCall[] = [];
  readonly byText = new Map<string, ClientCall>();
  readonly byKey = new Map<string, ClientCall[]>();
  readonly faults: string[] = [];
  /** What somebody else has written. */
  readonly foreign: RecordedCall<string, string>[] = [];
  readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  readonly expect = (isSo: boolean, promise: string): void => {
    if (!isSo) this.faults.push(`at ${this.now()} ms: ${promise}`);
  };

  begin(line: Line, timeoutMs: number): ClientCall {
    const called = this.now();
    const call = {
      at: this.calls.length,
      line: { ...line },
      called,
      deadline: called + timeoutMs,
      answered: Infinity,
      answer: undefined,
    };
    this.calls.push(call);
    this.byText.set(line.text, call);
    this.byKey.set(line.key, [...(this.byKey.get(line.key) ?? []), call]);
    return call;
  }

  /** Whether its caller waits, as far as promises that settle in this moment do not count. */
  isPending({ answered, deadline }: ClientCall): boolean {
    return answered === Infinity && this.now() < deadline;
  }

  /** Whether anybody waits for an item: its own caller, or a later one with its key. */
  isAwaited({ key, text }: Line): boolean {
    const from = this.byText.get(text)?.at ?? 0;
    return (this.byKey.get(key) ?? []).some((call) => call.at >= from && call.answered === Infinity);
  }

  history(wasLost: (text: string) => boolean): readonly RecordedCall<string, string>[] {
    const own = this.calls.map(({ line: { key, text }, called, answered, answer }) => ({
      key,
      value: text,
      called,
      answered,
      answer: recorded(answer),
      isRetried: wasLost(text),
    }));
    return [...own, ...this.foreign];
  }
}

function recorded(answer: Result | Error | undefined): RecordedAnswer<string> {
  if (answer === undefined) return 'unknown';
  if (!(answer instanceof Error)) return answer;
  return isUnknown(answer) ? 'unknown' : 'refused';
}

/** Whether the item may have been written all the same. */
function isUnknown(error: Error): boolean {
  return error instanceof Unavailable && !isRefusedAtOnce(error);
}

export function isRefusedAtOnce(error: Error): boolean {
  return error instanceof Overloaded || isCircuitOpen(error) || error.message === 'the engine is closed';
}

export function isCircuitOpen({ message }: Error): boolean {
  return message.endsWith('(circuit breaker open)');
}

/** What refuses while the circuit is open is of the class of what has opened it. */
export function isOfItsClass(error: Error): boolean {
  return error instanceof Misconfigured === /^(misconfigured|unsafe)/.test(error.message);
}
