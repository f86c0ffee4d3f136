import { isThisMachine, urlGrammar } from '@plant-store/sql-store/connection-url';
import { expect, test } from 'vitest';

const few = { mode: ['ON', 'OFF'], file: undefined };
const many = { ...few, host: undefined, port: undefined, user: undefined, password: undefined };

/** Why a query is refused, without the advice that every such message ends with. */
function refusal(query: string, known: Parameters<typeof urlGrammar>[1] = many): string | undefined {
  try {
    urlGrammar('x', known).readParameters(new URLSearchParams(query));
    return undefined;
  } catch (error) {
    return /^the connection string cannot be used \((.*)\): give x:\/\/user:password@host:port\//.exec(
      String((error as Error).message),
    )?.[1];
  }
}

test.each([
  ['mdoe=ON', 'parameter 1 of 1 is unknown: did you mean mode?'],
  ['file=a&MODE=ON', 'parameter 2 of 2 is unknown: did you mean mode?'],
  ['secret=a', 'parameter 1 of 1 is unknown: expected mode, file, host, port, user or password'],
  ['constructor=a', 'parameter 1 of 1 is unknown: expected mode, file, host, port, user or password'],
  ['file=', 'file is empty: give it a value or remove it'],
  ['file=a&file=a', 'file is given twice: keep one'],
  ['mode=on', 'mode: expected ON or OFF'],
  ['mode=ON&file=%20', undefined],
])('%s: %s', (query, reason) => expect(refusal(query)).toBe(reason));

test('of a few parameters all are shown, whichever was meant', () => {
  expect(refusal('mdoe=ON', few)).toBe('parameter 1 of 1 is unknown: expected mode or file');
});

test.each([
  ['localhost', true],
  ['::1', true],
  ['[::1]', true],
  ['127.9.9.9', true],
  ['/run/server', true],
  ['127.0.0.1.example.com', false],
  ['128.0.0.1', false],
  ['localhost.example.com', false],
])('%s is this machine: %s', (host, expected) => expect(isThisMachine(host)).toBe(expected));
