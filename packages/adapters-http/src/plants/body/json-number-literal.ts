/**
 * Finds how the number at a top-level member of a JSON object is written. JSON.parse gives the value only, and the
 * `source` that it hands to a reviver costs a call for every value in the text and a stack as deep as the text is nested.
 *
 * @param text a JSON text that JSON.parse accepts; whatever it is, one pass over it suffices.
 * @returns the literal, such as `9007199254740993` or `7.0`; undefined where the last such member is not a number.
 */
export function findTopLevelNumber(text: string, member: string): string | undefined {
  let literal: string | undefined;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case '{':
      case '[':
        depth += 1;
        break;
      case '}':
      case ']':
        depth -= 1;
        break;
      case '"': {
        const end = endOfString(text, at);
        if (depth === 1) {
          // Only a member's name is followed by a colon.
          afterName.lastIndex = end;
          const value = afterName.exec(text);
          if (value && JSON.parse(text.slice(at, end)) === member) literal = value[1];
        }
        at = end - 1;
        break;
      }
    }
  }
  return literal;
}

const afterName = /[ \t\n\r]*:[ \t\n\r]*(-?\d[\d.eE+-]*)?/y;

/** The index behind the closing quote of the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}
