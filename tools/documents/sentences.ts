/**
 * The sentences of a Markdown text that have to be read twice: over 30 words long, or two main clauses joined by a colon or
 * semicolon. Code and generated tables are left out. A cell or an item of a list is a text of its own.
 */
export function hardSentences(markdown: string): readonly string[] {
  return markdown
    .replace(/^ *(```+)[\s\S]*?^ *\1$|^<!-- generated: .* -->$[\s\S]*?^<!-- \/generated -->$|^#.*$/gm, '')
    .replace(/`[^`]*`/g, 'Code')
    .replaceAll('**', '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|\||(?<=[.!?])\s+(?=[\p{Lu}\d«])/u)
    .map((text) => text.replace(/^\s*[-*] /, '').trim())
    .filter((sentence) => isLong(sentence) || isJoined(sentence));
}

const isLong = (sentence: string) => sentence.split(/\s+/).length > 30;

/** By a list of verbs, so it misses some. A label of up to three words before a colon joins nothing. */
function isJoined(sentence: string): boolean {
  const [first = '', ...others] = sentence.replace(/\([^)]*\)/g, '').split(/[:;] /);
  return first.split(/\s+/).length > 3 && VERB.test(first) && others.some((other) => VERB.test(other));
}

const VERB =
  /\b(is|are|was|were|has|have|had|does|do|did|can|cannot|could|may|might|must|will|would|should|gets|needs|takes|makes|says|goes|keeps|stops|starts|fails|waits|begins|stays|gives|reads|writes|runs|closes)\b/;
