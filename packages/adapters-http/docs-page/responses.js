// A plugin of Swagger UI: the response, the request as code, and all errors in one table. Swagger UI has a row of a screen's
// height for each status, with the same headers and schema again.
window.docsPlugins = (window.docsPlugins ?? []).concat(({ React: { createElement, Fragment }, getComponent }) => {
  const th = (scope, text, props) => createElement('th', { scope, ...props }, text);

  function Responses(props) {
    const { responses, tryItOutResponse, path, method, specPath } = props;
    const LiveResponse = getComponent('liveResponse');
    const Response = getComponent('response');
    const CodeSnippets = getComponent('CodeSnippets', true);
    const isError = (_response, status) => Number(status) >= 400;
    const successes = responses.filterNot(isError).entrySeq();
    return createElement(
      'div',
      { className: 'responses-wrapper' },
      createElement(
        'div',
        { className: 'responses-inner' },
        createElement(
          'div',
          { 'aria-live': 'polite' },
          tryItOutResponse && createElement(LiveResponse, { ...props, response: tryItOutResponse }),
        ),
        createElement(CodeSnippets, { path, method }),
        createElement('h4', null, 'Responses'),
        createElement(
          'table',
          { className: 'responses-table' },
          createElement(
            'tbody',
            null,
            successes.map(([code, response]) =>
              createElement(Response, {
                ...props,
                key: code,
                code,
                response,
                specPath: specPath.push(code),
                contentType: 'application/json',
              }),
            ),
          ),
        ),
        createElement(Errors, { errors: responses.filter(isError).sortBy((_response, status) => Number(status)) }),
      ),
    );
  }

  function Errors({ errors }) {
    return createElement(
      'table',
      { className: 'errors' },
      createElement('caption', null, 'Errors'),
      createElement(
        'thead',
        null,
        createElement('tr', null, th('col', 'error'), th('col', 'Meaning'), th('col', 'message, for example')),
      ),
      errors.entrySeq().map(([status, response]) =>
        createElement(
          'tbody',
          { key: status },
          createElement('tr', null, th('rowgroup', headingOf(status, response), { colSpan: 3 })),
          response
            .getIn(['content', 'application/json', 'examples'])
            .entrySeq()
            .map(([kind, example]) =>
              createElement(
                'tr',
                { key: kind },
                th('row', example.getIn(['value', 'error'])),
                createElement('td', null, example.get('summary')),
                createElement('td', null, example.getIn(['value', 'message'])),
              ),
            ),
        ),
      ),
    );
  }

  /** The status, its meaning without the list of its errors, and the headers that not every response has. */
  function headingOf(status, response) {
    const [meaning] = response.get('description').split('\n');
    const names = response
      .get('headers')
      .keySeq()
      .filter((name) => name !== 'X-Request-Id');
    return createElement(
      Fragment,
      null,
      createElement('span', { className: 'errors-status' }, status),
      ` ${meaning}`,
      names.map((name) => createElement('span', { key: name }, ' ', createElement('code', null, name))),
    );
  }

  const nothing = () => () => null;
  return {
    wrapComponents: {
      responses: () => Responses,
      // Every response has the same one, which the parameter of the same name describes.
      headers: nothing,
      // The request as code says it for more languages, and without the token.
      curl: nothing,
    },
  };
});
