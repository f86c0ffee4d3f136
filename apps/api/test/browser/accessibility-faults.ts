import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe has found on a page, by the rules of WCAG 2.2 up to AA and its own of good practice. */
export interface Findings {
  /** A line for each element that breaks a rule, or whose contrast axe cannot tell. */
  readonly faults: readonly string[];
  /** How many elements with text were checked for the contrast that WCAG requires: 4.5 to 1, for large text 3 to 1. */
  readonly textsSeen: number;
}

/** Checks what the page shows now, or a part of it. Playwright runs scripts despite the policy of the page. */
export async function accessibilityFaults(page: Page, within = 'html'): Promise<Findings> {
  await page.evaluate(axe.source);
  await page.evaluate(
    `document.adoptedStyleSheets = [new CSSStyleSheet()]; document.adoptedStyleSheets[0].replaceSync(${JSON.stringify(plain)})`,
  );
  const { violations, incomplete, passes } = (await page.evaluate(`axe.run(${JSON.stringify(within)})`)) as AxeResults;
  const contrast = ({ id }: { readonly id: string }) => id === 'color-contrast';
  const faults = [...violations, ...incomplete.filter(contrast)].flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target, html, any, all, none }) => {
      const reasons = [...any, ...all, ...none].map(({ message }) => message).join('; ');
      return `${id} (${impact}) at ${target.join(' ')}, ${html.slice(0, 100).replaceAll(/\s+/g, ' ')}: ${reasons}`;
    }),
  );
  return { faults, textsSeen: passes.find(contrast)?.nodes.length ?? 0 };
}

/** Colours have arrived, and nothing is drawn behind a text but a colour, so that axe can tell all of them. */
const plain = `
  * { transition: none !important; animation: none !important; }
`;
