import { type Html, html } from './html.ts';

/** The parts of an OpenAPI document that the page shows. */
interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
  };
}

interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly description: string }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject | { readonly $ref: string }>>;
}

interface ResponseObject {
  readonly description: string;
  readonly headers?: object;
  readonly content: Content;
}

interface Content {
  readonly 'application/json': {
    readonly schema: { readonly $ref: string };
    readonly examples: Readonly<Record<string, { readonly summary?: string; readonly value: object }>>;
  };
}

interface Schema {
  readonly properties: Readonly<
    Record<string, { readonly type: string; readonly format?: string; readonly description: string }>
  >;
  readonly required: readonly string[];
}

/** What the page says beside the description. */
export interface PageOptions {
  /** Where a token for this service comes from: a sentence. */
  readonly tokenHint: string;
}

/**
 * The page as HTML, made of the description. It can be read without JavaScript. Its URLs are relative to `/docs`, so the
 * service may be below a path of somebody else's host. Nothing is inline, so its policy can be strict.
 *
 * @param document an OpenAPI document as `openApiDocument` makes it.
 * @param files the URLs of its style sheet and script.
 */
export function docsPage(document: object, files: { css: string; js: string }, { tokenHint }: PageOptions): string {
  const { info, paths, components } = document as Document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationSection(path, method, operation, components)),
  );
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title}</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%232e7d32' d='M8 15V8C3 8 2 5 2 2c4 0 6 2 6 5 0-2 2-4 6-4 0 3-2 5-6 5'/%3E%3C/svg%3E">
<link rel="stylesheet" href="${files.css}">
<script type="module" src="${files.js}"></script>
</head>
<body>
<header>
<h1>${info.title} <small>${info.version}</small></h1>
${paragraphs(info.description)}
<p>Base address: <code id="base">the address of this page without “docs”</code> · <a href="openapi.json">openapi.json</a> · <a href="openapi.yaml">openapi.yaml</a></p>
</header>
<main>
<div class="token">
<label for="access-token">Access token</label>
<input id="access-token" type="password" autocomplete="off" spellcheck="false" aria-describedby="token-hint">
<label id="keep-token-label" hidden><input id="keep-token" type="checkbox"> Keep it for this tab</label>
<p id="token-hint">${tokenHint}</p>
</div>
${operations}
</main>
</body>
</html>
`.html;
}

function operationSection(
  path: string,
  method: string,
  { operationId, summary, description, parameters, requestBody, responses }: OperationObject,
  { schemas, responses: shared }: Document['components'],
): Html {
  const named = Object.entries(responses).map(([status, response]) => {
    const described = '$ref' in response ? shared[response.$ref.slice('#/components/responses/'.length)] : response;
    return [status, described as ResponseObject] as const;
  });
  const successes = named.filter(([status]) => Number(status) < 400);
  const errors = named.filter(([status]) => Number(status) >= 400);
  const body = requestBody?.content['application/json'];
  return html`<section class="operation" aria-labelledby="${operationId}">
<h2 id="${operationId}"><span class="method">${method.toUpperCase()}</span> ${path} <small>${summary}</small></h2>
<p>${description}</p>
<form data-method="${method}" data-path="${path}">
<div class="columns">
<div>
${parameters.filter((parameter) => parameter.in === 'path').map(pathParameter)}
${body && bodyField(operationId, body)}
<p class="actions"><button type="submit">Execute</button> <span class="no-token">Without an access token the response is a 401.</span></p>
<div class="response" aria-live="polite"></div>
${body && fieldTable(schemaName(body), schemas)}
</div>
<fieldset class="code" hidden><legend>The request as code</legend><div class="languages"></div><pre tabindex="0" aria-label="The request as code"><code></code></pre><button type="button" class="copy">Copy</button></fieldset>
</div>
</form>
${successes.map(
  ([status, response]) => html`<h3><span class="status ok">${status}</span> ${response.description}</h3>
${fieldTable(schemaName(response.content['application/json']), schemas)}`,
)}
<h3>Errors</h3>
${errors.map(([status, response]) => errorTable(status, response))}
</section>`;
}

function pathParameter({ name, description }: OperationObject['parameters'][number]): Html {
  return html`<label>${name} <input name="${name}" required></label><p>${description}</p>`;
}

function bodyField(id: string, { examples }: Content['application/json']): Html {
  const all = Object.entries(examples);
  const texts = all.map(([name, { value }]) => [name.replaceAll('-', ' '), JSON.stringify(value, null, 2)] as const);
  return html`<label>Example <select class="examples">${texts.map(
    ([name, text]) => html`<option value="${text}">${name}</option>`,
  )}</select></label>
<label for="${id}-body">Request body</label>
<textarea id="${id}-body" class="body" rows="6" spellcheck="false">${texts[0]?.[1]}</textarea>`;
}

type Schemas = Document['components']['schemas'];

function schemaName({ schema }: Content['application/json']): string {
  return schema.$ref.slice('#/components/schemas/'.length);
}

function fieldTable(name: string, schemas: Schemas): Html {
  const { properties = {}, required = [] } = schemas[name] ?? {};
  return html`<table class="fields"><caption>${name}</caption>
<thead><tr><th scope="col">field</th><th scope="col">type</th><th scope="col">meaning</th></tr></thead>
<tbody>${Object.entries(properties).map(
    ([field, { type, format, description }]) =>
      html`<tr><th scope="row">${field}</th><td>${format ?? type}${required.includes(field) ? '' : ', optional'}</td><td>${description}</td></tr>`,
  )}</tbody></table>`;
}

function errorTable(status: string, { description, headers = {}, content }: ResponseObject): Html {
  const [meaning] = description.split('\n');
  const own = Object.keys(headers).filter((name) => name !== 'X-Request-Id');
  return html`<details class="errors" open><summary><span class="status">${status}</span> ${meaning} ${own.map((name) => html`<code>${name}</code>`)}</summary>
<table><thead><tr><th scope="col">error</th><th scope="col">meaning</th><th scope="col">message, for example</th></tr></thead>
<tbody>${Object.values(content['application/json'].examples).map(({ summary, value }) => {
    const { error, message } = value as { error: number; message: string };
    return html`<tr><th scope="row">${error}</th><td>${summary}</td><td><code>${message}</code></td></tr>`;
  })}</tbody></table></details>`;
}

function paragraphs(description: string): readonly Html[] {
  return description.split('\n\n').map((text) => html`<p>${text}</p>`);
}
