import type { DocsAsset } from './assets.ts';

/**
 * The page as HTML. Its URLs are relative to `/docs`, so it may be below a path of somebody else's host. Nothing is inline,
 * which is what lets its policy be strict.
 */
export function docsPage(assets: readonly DocsAsset[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Plant Store Service Interface</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%232e7d32' d='M8 15V8C3 8 2 5 2 2c4 0 6 2 6 5 0-2 2-4 6-4 0 3-2 5-6 5'/%3E%3C/svg%3E">
${assets.map(({ name }) => element(`docs/${name}`)).join('\n')}
</head>
<body>
<noscript>This page needs JavaScript. <a href="openapi.json">openapi.json</a> says the same to those who have none.</noscript>
<div id="docs"></div>
</body>
</html>
`;
}

/**
 * What the browser may do on the page (CSP Level 3): load scripts and styles from this service, send requests to it, and
 * nothing else. The images are Swagger UI's icons, which are in its style sheet.
 */
export const docsPolicy: string = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function element(url: string): string {
  return url.endsWith('.css') ? `<link rel="stylesheet" href="${url}">` : `<script src="${url}" defer></script>`;
}
