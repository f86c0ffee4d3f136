/** Lines of NDJSON with the plants of these ids. */
export const plants = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `{"id":${from + at},"name":"plant ${from + at}"}\n`).join('');
