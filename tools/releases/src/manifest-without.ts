/** The text of a package.json without some of its members, so that two can be compared; of an empty text, none. */
export function manifestWithout(text: string, members: readonly string[]): string {
  if (text === '') return '';
  return JSON.stringify(Object.entries(JSON.parse(text)).filter(([member]) => !members.includes(member)));
}
