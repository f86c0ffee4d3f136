/** What the admin listener said, sampled all the time. */
export interface Probes {
  /** Of the samples that were taken from one time to another, by `performance.now()`. */
  between(from: number, to: number): readonly Sample[];
  /** The statuses of one path among them. */
  statuses(path: Sample['path'], from: number, to: number): readonly number[];
  stop(): void;
}

interface Sample {
  readonly path: '/livez' | '/readyz';
  /** The status; 0 if there was none. */
  readonly status: number;
  readonly sentAt: number;
  readonly completedAt: number;
}

/** How long after one sample the next is taken, in milliseconds. */
export const PAUSE_MS = 200;

/** Asks for liveness and readiness until it is stopped. */
export function watchProbes(adminUrl: string): Probes {
  const samples: Sample[] = [];
  const take = async (path: Sample['path']) => {
    const sentAt = performance.now();
    const status = await fetch(`${adminUrl}${path}`).then(
      (response) => response.status,
      () => 0,
    );
    samples.push({ path, status, sentAt, completedAt: performance.now() });
  };
  const timer = setInterval(() => void Promise.all([take('/livez'), take('/readyz')]), PAUSE_MS);
  const between = (from: number, to: number) =>
    samples.filter(({ sentAt, completedAt }) => sentAt >= from && completedAt <= to);
  return {
    between,
    statuses: (path, from, to) => between(from, to).flatMap((each) => (each.path === path ? [each.status] : [])),
    stop: () => clearInterval(timer),
  };
}
