/** The verdict on one clause. */
export type ClauseResult = { readonly id: string; readonly title: string } & (
  | { readonly verdict: 'passed' }
  | { readonly verdict: 'not-promised' }
  | { readonly verdict: 'not-checked'; readonly message: string }
  | { readonly verdict: 'failed'; readonly message: string }
  | { readonly verdict: 'known-failure'; readonly message: string }
);
