import type { BatchEngine, ItemSpec } from '../src/batch-engine.ts';
import type { GroupCommitEvents } from '../src/events.ts';
import { groupCommit } from '../src/group-commit.ts';
import type { GroupCommitLimits } from '../src/limits.ts';
import type { Platform } from '../src/platform.ts';
import { virtualPlatform } from './virtual-platform.ts';

export type Engine = BatchEngine<number, 'added'>;
export type Spec = ItemSpec<number, number, 'added'>;

export const added = { done: 'added' } as const;

/** Starts a group commit over an engine that adds everything by default, on a virtual platform. */
export function start(
  engineOn: (platform: Platform) => Partial<Engine>,
  limits: GroupCommitLimits = {},
  events: GroupCommitEvents = {},
  spec: Spec = { keyOf: (id) => id },
) {
  const virtual = virtualPlatform();
  const { now } = virtual.platform;
  const write: Engine['write'] = async (items) => items.map(() => added);
  const engine = { write, probe: async () => {}, close: async () => {}, ...engineOn(virtual.platform) };
  const store = groupCommit(engine, spec, limits, events, virtual.platform);
  const results: { readonly id: number; readonly sent: number; readonly took: number; readonly error: unknown }[] = [];
  let ids = 0;
  /** Submits a new item. */
  async function send(): Promise<void> {
    const sent = now();
    ids += 1;
    const id = ids;
    const error: unknown = await store.submit(id).then(() => undefined, Object);
    results.push({ id, sent, took: now() - sent, error });
  }
  /** Submits `count` items at once. */
  async function burst(count: number): Promise<void> {
    for (let at = 0; at < count; at += 1) void send();
    await virtual.turn();
  }
  return { ...virtual, store, results, send, burst };
}
