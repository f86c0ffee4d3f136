import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Oracle } from './oracles.ts';
import type { Library } from './simulate.ts';

/** A mistake in the library. `from` occurs once in the file. */
export interface Mutant {
  readonly does: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** A plan that shows it, to save time: the plans begin with this one. 1 by default. */
  readonly plan?: number;
}

const SOURCES = join(import.meta.dirname, '../../src');

/** Uses the library with a mistake in it. */
export async function withMutant<T>({ file, from, to }: Mutant, use: (library: Library) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'group-commit-mutant-'));
  try {
    await cp(SOURCES, folder, { recursive: true });
    const source = await readFile(join(folder, file), 'utf8');
    const parts = source.split(from);
    if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times what a mutant changes: ${from}`);
    await writeFile(join(folder, file), parts.join(to));
    const { groupCommit } = await import(pathToFileURL(join(folder, 'group-commit.ts')).href);
    return await use(groupCommit);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The mutants by the oracle that catches them. */
export const mutants: Readonly<Record<Oracle, readonly Mutant[]>> = {
  'P1/F2 P1/F3 P3/F2 P3/F6 what is acknowledged is stored, and once': [
    {
      does: 'gives callers that have joined the result of the first one',
      file: 'queue.ts',
      from: 'caller === first ? result : this.#repeat(result, first.item)',
      to: 'result',
    },
    {
      does: 'gives results to the wrong items',
      file: 'write.ts',
      from: 'results[at] as',
      to: 'results.at(-1 - at) as',
    },
    {
      does: 'resolves all callers of a refused item with those that have joined',
      file: 'write.ts',
      from: 'if (!(result instanceof Error)) {\n        entries.resolve(entry, result);',
      to: "if (!(result instanceof Error) || engine.classify?.(result) === 'refused') {\n        entries.resolve(entry, 'added' as R);",
    },
  ],
  'P4/F2 P4/F3 P4/F5 P4/F9 each submit and each check settles in time, whatever breaks': [
    {
      does: 'sets no deadline for a caller',
      file: 'group-commit.ts',
      from: '    expireAt(caller.deadline);\n',
      to: '',
    },
    {
      does: 'loses a batch if a callback throws',
      file: 'write.ts',
      from: '      entries.reject(batch, toError(thrown));\n',
      to: '      for (const entry of batch) entry.callers = [];\n',
      plan: 120,
    },
    {
      does: 'loses callers if the result of one cannot be made',
      file: 'queue.ts',
      from: '        caller.reject(error);\n',
      to: '',
      plan: 234,
    },
    {
      does: 'gives a probe twice the time',
      file: 'watch.ts',
      from: 'withTimeout(call, timeoutMs,',
      to: 'withTimeout(call, 2 * timeoutMs,',
      plan: 124,
    },
  ],
  'P4/F3 a caller gets the error of its own item, or why nothing can be stored': [
    {
      does: 'gives a transient error to its callers at once',
      file: 'write.ts',
      from: "if (failure === 'transient') passing.push(entry);",
      to: "if (failure === 'transient') entries.reject([entry], result);",
    },
  ],
  'P4/F5 P4/F6 a refused or locked item rejects no other': [
    {
      does: 'rejects the whole batch of a refused item',
      file: 'write.ts',
      from: 'else if (batch.length > 1) blamed',
      to: "else if (batch.length > 1 && failure !== 'refused') blamed",
      plan: 275,
    },
    {
      does: 'rejects those that have joined a refused item',
      file: 'queue.ts',
      from: '    first.reject(error);\n',
      to: '    for (const caller of [first, ...others.splice(0)]) caller.reject(error);\n',
      plan: 101,
    },
  ],
  'P5/F3 an item is refused if it was written alone, and the engine is known to be healthy': [
    {
      does: 'gives the error of a batch to a caller whose time is over',
      file: 'write.ts',
      from: "entry.error = failure === 'refused' ? undefined : result;",
      to: 'entry.error = result;',
      plan: 36,
    },
    {
      does: 'does not ask whether the engine is healthy',
      file: 'write.ts',
      from: '      await watch.confirm();\n',
      to: '',
      plan: 21,
    },
  ],
  'P6/F9 at most maxWaiting callers wait, and others are rejected at once if too many or too long': [
    {
      does: 'counts the entries of the queue alone',
      file: 'group-commit.ts',
      from: 'entries.waiting >= maxWaiting',
      to: 'queue.length >= maxWaiting',
    },
    {
      does: 'counts no callers that join',
      file: 'queue.ts',
      from: '    this.#waiting += 1;\n',
      to: '',
      plan: 11,
    },
    {
      does: 'lets items wait twice as long',
      file: 'group-commit.ts',
      from: 'queue.waitedMs >= maxWaitMs',
      to: 'queue.waitedMs >= 2 * maxWaitMs',
      plan: 309,
    },
  ],
  'P5/F2 P5/F3 P5/F4 P5/F5 after a fault, items are stored within a second and a probe': [
    {
      does: 'stops its probes once one has failed',
      file: 'watch.ts',
      from: 'if (hasArrived || failure)',
      to: 'if (hasArrived && !failure)',
    },
  ],
  'P5/F3 while the latest probe has failed, no write begins, and items are rejected at once': [
    {
      does: 'writes what was accepted before',
      file: 'write.ts',
      from: 'if (watch.failure) entries.reject(batch, watch.failure);\n      else if',
      to: 'if',
      plan: 50,
    },
    {
      does: 'accepts items while the engine fails',
      file: 'group-commit.ts',
      from: '    if (watch.failure) throw watch.failure;\n',
      to: '',
      plan: 55,
    },
  ],
  'P5/F3 one probe at a time runs each second, while items arrive or it fails': [
    {
      does: 'probes once when items begin to arrive',
      file: 'watch.ts',
      from: 'if (hasArrived || failure)',
      to: 'if (failure)',
    },
    {
      does: 'begins a probe beside another one',
      file: 'watch.ts',
      from: 'inFlight ??= probeOnce()',
      to: 'inFlight = probeOnce()',
    },
  ],
  'P5/F3 an idle engine that is checked each second is probed at most seven times a minute': [
    {
      does: 'probes for each check that is a second after another one',
      file: 'watch.ts',
      from: 'inFlight ? BUSY_MS : IDLE_MS',
      to: 'BUSY_MS',
    },
  ],
  'P5/F2 P5/F3 a check gets the result of the latest probe': [
    {
      does: 'does not wait for a probe that hangs',
      file: 'watch.ts',
      from: 'inFlight ? BUSY_MS : IDLE_MS',
      to: 'IDLE_MS',
      plan: 130,
    },
    {
      does: 'resolves all checks once a probe has passed',
      file: 'watch.ts',
      from: '    if (failure) throw failure;\n  }\n\n  return',
      to: '  }\n\n  return',
    },
  ],
  'P9/F1 P9/F3 close settles all callers, and leaves nothing behind': [
    {
      does: 'closes the engine before all is settled',
      file: 'group-commit.ts',
      from: '    await entries.drained();\n',
      to: '',
    },
    {
      does: 'closes the engine beside a probe',
      file: 'watch.ts',
      from: '      await inFlight?.catch(() => {});\n',
      to: '',
      plan: 537,
    },
    {
      does: 'closes the engine twice',
      file: 'group-commit.ts',
      from: '(closed ??= end())',
      to: '(closed = end())',
    },
  ],
  'P4/F9 batches have the oldest items, within the limits': [
    {
      does: 'writes one item too many',
      file: 'queue.ts',
      from: 'if (count === maxItems ||',
      to: 'if (count === maxItems + 1 ||',
    },
    {
      does: 'writes too much',
      file: 'queue.ts',
      from: 'if (count === maxItems || (count > 0 && size > maxBatchSize)) break;',
      to: 'if (count === maxItems) break;',
    },
    {
      does: 'writes the youngest items first',
      file: 'queue.ts',
      from: 'queue.splice(0, count)',
      to: 'queue.splice(-count)',
    },
    {
      does: 'writes one batch too many',
      file: 'group-commit.ts',
      from: 'inFlight.size >= maxWrites',
      to: 'inFlight.size > maxWrites',
    },
    {
      does: 'gives a write the time of its first item',
      file: 'write.ts',
      from: 'Math.max(deadline, callers.at(-1)',
      to: 'Math.max(deadline, callers.at(0)',
      plan: 10,
    },
  ],
  'P4/F5 P4/F9 no item waits for 20 ms while another write may begin, nor while there is none': [
    {
      does: 'holds a batch while its refused item waits for a probe',
      file: 'write.ts',
      from: 'void refuse(',
      to: 'await refuse(',
      plan: 44,
    },
    {
      does: 'holds all items until nothing is being written',
      file: 'group-commit.ts',
      from: '|| queue.waitedMs >= HOLD_MS',
      to: '',
    },
    {
      does: 'waits for a write that nobody waits for',
      file: 'write.ts',
      from: 'withTimeout(callEngine(batch, deadline), deadline - began, onTimeout, platform)',
      to: 'callEngine(batch, deadline)',
      plan: 138,
    },
  ],
  'P4/F2 P4/F5 short faults give nobody an unknown outcome': [
    {
      does: 'does not wait for locks',
      file: 'write.ts',
      from: "else if (failure === 'locked') waitForLock(entry);",
      to: "else if (failure === 'locked') entries.reject([entry], result);",
      plan: 58,
    },
    {
      does: 'trusts the first probe that fails',
      file: 'watch.ts',
      from: 'if (failure || !mayPass',
      to: 'if (mayPass || !mayPass',
      plan: 76,
    },
  ],
  'P4/F3 metrics count each item of each write once, each caller, and each change of health': [
    {
      does: 'counts an item that is refused as failed',
      file: 'write.ts',
      from: '        done = 1;\n',
      to: '',
    },
    {
      does: 'reports each probe',
      file: 'watch.ts',
      from: 'if (hasChanged) events',
      to: 'events',
    },
    {
      does: 'reports no retries',
      file: 'write.ts',
      from: '    events.retried?.();\n',
      to: '',
    },
  ],
};
