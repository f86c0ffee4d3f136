/** What is known of the vulnerabilities of the dependencies. */
export type Verdict =
  | { readonly outcome: 'clean' | 'vulnerable'; readonly text: string }
  | { readonly outcome: 'not-asked'; readonly text: string };

/** What ended with which exit code means: 0 all is well, 1 vulnerable, 2 nobody could be asked. */
export const exitCodes: Readonly<Record<Verdict['outcome'], number>> = { clean: 0, vulnerable: 1, 'not-asked': 2 };

/** Reads what `pnpm audit --json` has printed. High and critical advisories count; others are named. */
export function verdictOf(output: string): Verdict {
  const counts = vulnerabilitiesIn(output);
  if (!counts) {
    // pnpm breaks its lines, and draws a bar before each.
    const [, said = output] = /×(.+?)(\n\n|$)/s.exec(output) ?? [];
    const reason = said.replace(/[\s│]+/g, ' ').trim() || 'it printed nothing';
    return { outcome: 'not-asked', text: `advisories: NOT CHECKED, the advisory service gave no answer (${reason})` };
  }
  const text = `advisories: ${Object.entries(counts)
    .map(([severity, count]) => `${count} ${severity}`)
    .join(', ')}`;
  return (counts['high'] ?? 0) + (counts['critical'] ?? 0) > 0
    ? { outcome: 'vulnerable', text: `${text}: npx -y pnpm@12 audit says which, and in which version they are mended` }
    : { outcome: 'clean', text };
}

function vulnerabilitiesIn(output: string): Readonly<Record<string, number>> | undefined {
  try {
    return JSON.parse(output).metadata?.vulnerabilities;
  } catch {
    return undefined;
  }
}
